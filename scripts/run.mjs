// Runs a program of bin/ from its bundle, built when stale: `node scripts/run.mjs headgate …`.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildBundles, buildClient } from "./build.mjs";
import { loadDotEnv } from "./dot-env.mjs";
import { ensureDependencies } from "./ensure-deps.mjs";
import { beQuiet } from "./progress.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const [name = "", ...args] = process.argv.slice(2);

loadDotEnv(root);
beQuiet();
await ensureDependencies();
await buildClient();
await buildBundles();
const file = join(root, "dist", `${name}.mjs`);
if (!existsSync(file)) {
  console.error(`there is no program ${name || "(none given)"} in bin/`);
  process.exit(2);
}
process.argv = [process.execPath, file, ...args];
process.setSourceMapsEnabled(true);
await import(pathToFileURL(file).href);
