/** @type {import("next").NextConfig} */
const config = {
  turbopack: { root: import.meta.dirname },
  outputFileTracingRoot: import.meta.dirname,
  poweredByHeader: false,
  reactStrictMode: true,
  // The type check is a step of `npm run check`; the build need not repeat it.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: [
    "pino",
    "ioredis",
    "pg",
    "@prisma/client",
    "@prisma/adapter-pg",
    "better-auth",
  ],
};

export default config;
