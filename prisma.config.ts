import { defineConfig } from "prisma/config";

// generate, validate and format run on bundled WASM, yet the CLI first looks for a schema engine
// and would download one. Naming any executable satisfies that check; migrate still gets the real one.
if (["generate", "validate", "format"].some((command) => process.argv.includes(command))) {
  process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;
}

const url = process.env.DATABASE_URL;

export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  ...(url === undefined ? {} : { datasource: { url } }),
});
