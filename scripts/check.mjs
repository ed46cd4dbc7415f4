// `npm run check`: lint, types, boundaries, dead code.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildClient, buildRouteTypes } from "./build.mjs";

/** @typedef {{ passed: number, failed: number }} Tally */

const root = fileURLToPath(new URL("..", import.meta.url));
const tool = (/** @type {string[]} */ ...path) => join(root, "node_modules", ...path);

const steps = [
  {
    name: "lint and format",
    args: [tool("@biomejs", "biome", "bin", "biome"), "ci", "--colors=off", "."],
  },
  {
    name: "types",
    args: [tool("typescript", "bin", "tsc"), "--noEmit", "-p", "tsconfig.check.json"],
  },
  { name: "boundaries", args: [join(root, "scripts", "boundaries.mjs")] },
  { name: "dead code", args: [tool("knip", "bin", "knip.js"), "--no-progress"] },
];

/** @returns {Promise<Tally>} */
export async function runChecks() {
  await buildClient();
  await buildRouteTypes();
  const tally = { passed: 0, failed: 0 };
  for (const { name, args } of steps) {
    const started = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: root,
      encoding: "utf8",
    });
    const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
    const ok = status === 0;
    tally[ok ? "passed" : "failed"] += 1;
    console.log(`  ${ok ? "✓" : "✗"} ${name} (${took})`);
    if (!ok) console.log(`${stdout}${stderr}`.trim());
  }
  return tally;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { passed, failed } = await runChecks();
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
