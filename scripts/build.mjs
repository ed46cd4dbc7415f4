// Makes what the processes run from: Prisma's client, the bundles in dist/, the console in .next. Each only when stale.
import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runToEnd } from "./child.mjs";
import { fingerprint, whenStale } from "./fingerprint.mjs";
import { withLock } from "./lock.mjs";
import { step } from "./progress.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const at = (/** @type {string[]} */ ...path) => join(root, ...path);
const LOCK = "package-lock.json";
const SCHEMA = "prisma/schema.prisma";

export async function buildClient() {
  await make("database code", {
    stampFile: at("lib", "db", "generated", ".stamp"),
    print: fingerprint(root, [SCHEMA, "prisma.config.ts", LOCK]),
    exists: () => existsSync(at("lib", "db", "generated")),
    work: () =>
      run("prisma generate", [at("node_modules", "prisma", "build", "index.js"), "generate"]),
  });
}

export async function buildBundles() {
  await make("programs", {
    stampFile: at("dist", ".stamp"),
    print: fingerprint(root, ["bin", "lib", "scripts/build.mjs", "tsconfig.json", SCHEMA, LOCK]),
    exists: () => existsSync(at("dist", "migrate.mjs")),
    work: bundle,
  });
}

export async function buildConsole() {
  await make("console", {
    stampFile: at(".next", "headgate-stamp"),
    print: fingerprint(root, [
      ...["app", "components", "lib", "public", SCHEMA, LOCK],
      ...[
        "next.config.mjs",
        "postcss.config.mjs",
        "tsconfig.json",
        "proxy.ts",
        "instrumentation.ts",
      ],
    ]),
    exists: () => existsSync(at(".next", "BUILD_ID")),
    work: () => run("next build", [at("node_modules", "next", "dist", "bin", "next"), "build"]),
  });
}

/** Types of pages and route handlers as they are now; those in .next are as they were when it was built. */
export function buildRouteTypes() {
  return withLock({ root, name: "build" }, () =>
    run("next typegen", [at("node_modules", "next", "dist", "bin", "next"), "typegen"]),
  );
}

async function bundle() {
  const { build, stop } = await import("esbuild");
  rmSync(at("dist"), { recursive: true, force: true });
  await build({
    entryPoints: readdirSync(at("bin"))
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => at("bin", name)),
    outdir: at("dist"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node20",
    format: "esm",
    sourcemap: true,
    logLevel: "warning",
    tsconfig: at("tsconfig.json"),
  });
  // Its service process would otherwise live as long as we do.
  await stop();
  // The limiter reads its scripts from beside its module, which is dist/ once bundled.
  cpSync(at("lib", "limiter", "lua"), at("dist", "lua"), { recursive: true });
}

/**
 * @param {string} title
 * @param {Parameters<typeof whenStale>[0]} options
 */
function make(title, options) {
  return step(title, async (say) => {
    const needed = await withLock({ root, name: "build" }, () => whenStale(options));
    say(needed ? "built" : "up to date");
  });
}

/**
 * @param {string} name
 * @param {string[]} args
 */
async function run(name, args) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
  await runToEnd({ name, command: process.execPath, args, cwd: root, env });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const parts = { client: buildClient, programs: buildBundles, console: buildConsole };
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !(name in parts));
  if (unknown.length > 0) {
    console.error(
      `build takes ${Object.keys(parts).join(", ")} or nothing for all, got ${unknown.join(", ")}`,
    );
    process.exit(2);
  }
  try {
    for (const [name, build] of Object.entries(parts)) {
      if (asked.length === 0 || asked.includes(name)) await build();
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
