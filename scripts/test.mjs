// `npm test`: every suite on real servers, cheapest first; the last line is `N passed, N failed`.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildBundles, buildClient, buildConsole } from "./build.mjs";
import { runChecks } from "./check.mjs";
import { ensureDependencies } from "./ensure-deps.mjs";
import { ensurePrograms } from "./system.mjs";

/** @typedef {{ passed: number, failed: number }} Tally */

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "headgate-results-"));
const tool = (/** @type {string[]} */ ...path) => join(root, "node_modules", ...path);

/** @type {Record<string, () => Promise<Tally>>} */
const suites = {
  check: runChecks,
  unit: async () => {
    await buildClient();
    return runVitest(["unit"]);
  },
  services: async () => {
    need(["redis"]);
    await buildAll();
    return runVitest(["services", "stack"]);
  },
  browser: async () => {
    need(["redis", "chromium"]);
    await buildAll();
    return runPlaywright();
  },
};

/** @type {import("node:child_process").ChildProcess | undefined} */
let current;
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => {
    current?.kill(signal);
    rmSync(folder, { recursive: true, force: true });
    process.exit(130);
  });
}

process.chdir(root);
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in suites));
if (unknown.length > 0) {
  console.error(
    `npm test takes -- ${Object.keys(suites).join(", ")}, or nothing for all; got ${unknown.join(", ")}`,
  );
  process.exit(2);
}
await ensureDependencies();
const total = { passed: 0, failed: 0 };
const lines = [];
for (const [name, run] of Object.entries(suites)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`\n── ${name} ${"─".repeat(60 - name.length)}`);
  const started = performance.now();
  const tally = await run().catch((error) => {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1 };
  });
  const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  lines.push(`${name.padEnd(9)} ${tally.passed} passed, ${tally.failed} failed (${took})`);
  total.passed += tally.passed;
  total.failed += tally.failed;
}
rmSync(folder, { recursive: true, force: true });
console.log(`\n${lines.join("\n")}\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

/** @param {Parameters<typeof ensurePrograms>[0]} programs */
function need(programs) {
  const problems = ensurePrograms(programs);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

async function buildAll() {
  await buildClient();
  await buildBundles();
  await buildConsole();
}

/**
 * @param {string[]} projects of vitest.config.ts
 * @returns {Promise<Tally>}
 */
async function runVitest(projects) {
  const file = join(folder, `${projects[0]}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const code = await runTool([
    tool("vitest", "vitest.mjs"),
    "run",
    ...projects.flatMap((name) => ["--project", name]),
    ...reporters,
  ]);
  const { numPassedTests, numFailedTests, testResults } = readJson(file);
  // A file that cannot be loaded has no tests to fail.
  const broken = testResults.filter(
    (
      /** @type {{ status: string, assertionResults: { status: string }[] }} */ {
        status,
        assertionResults,
      },
    ) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  return tally(numPassedTests, numFailedTests + broken.length, code);
}

/** @returns {Promise<Tally>} */
async function runPlaywright() {
  const file = join(folder, "browser.json");
  const args = [tool("@playwright", "test", "cli.js"), "test", "--reporter=list,json"];
  const code = await runTool(args, { PLAYWRIGHT_JSON_OUTPUT_FILE: file });
  const { stats } = readJson(file);
  return tally(stats.expected + stats.flaky, stats.unexpected, code);
}

/**
 * A runner that failed without a failed test (an unhandled error, no tests at all) counts as one failure.
 * @param {number} passed
 * @param {number} failed
 * @param {number} code
 * @returns {Tally}
 */
function tally(passed, failed, code) {
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
}

/**
 * @param {string[]} args
 * @param {Record<string, string | undefined>} [extra]
 * @returns {Promise<number>}
 */
function runTool(args, extra = {}) {
  return new Promise((resolve, reject) => {
    // Variables meant for a running Headgate must not change what the tests see.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) => !/^(HEADGATE|REDIS)_|^(DATABASE_URL|PORT|NODE_ENV)$|^npm_/.test(name),
      ),
    );
    current = spawn(process.execPath, args, {
      cwd: root,
      stdio: "inherit",
      env: { ...env, ...extra },
    });
    current.once("error", reject);
    current.once("exit", (code) => resolve(code ?? 1));
  });
}

/** @param {string} file */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    throw new Error("the runner ended without results, see above");
  }
}
