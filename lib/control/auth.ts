import { betterAuth } from "better-auth";
import { prismaAdapter } from "better-auth/adapters/prisma";
import type { Database } from "@/lib/db/client";

type Options = { db: Database; publicUrl: string; secret: string; environment: string };

const SESSION_SECONDS = 7 * 86_400;
/** Sign-in attempts of one address in this many seconds, over all replicas. */
const SIGN_IN_WINDOW_SECONDS = 60;
const SIGN_IN_MAX = 10;

export function createAuth({ db, publicUrl, secret, environment }: Options) {
  return betterAuth({
    appName: "Headgate",
    baseURL: publicUrl,
    basePath: "/api/auth",
    trustedOrigins: [new URL(publicUrl).origin],
    secret,
    database: prismaAdapter(db, { provider: "postgresql", transaction: true }),
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: 8 },
    user: { additionalFields: { role: { type: "string", defaultValue: "viewer", input: false } } },
    session: { expiresIn: SESSION_SECONDS, updateAge: 86_400 },
    rateLimit: {
      enabled: true,
      storage: "database",
      customRules: {
        "/sign-in/email": { window: SIGN_IN_WINDOW_SECONDS, max: SIGN_IN_MAX },
      },
    },
    advanced: {
      useSecureCookies: publicUrl.startsWith("https://"),
      cookiePrefix: `headgate-${environment}`,
      ipAddress: { ipAddressHeaders: ["x-forwarded-for"] },
    },
    telemetry: { enabled: false },
    logger: { disabled: true },
  });
}

export type Auth = ReturnType<typeof createAuth>;
