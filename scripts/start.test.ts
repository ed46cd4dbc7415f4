import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waitFor } from "../lib/testing/wait-for";
import { isAlive } from "./child.mjs";
import { freePort } from "./ports.mjs";

const STOP_WITHIN_MS = 5_000;
const folder = mkdtempSync(join(tmpdir(), "headgate-start-"));
const env: NodeJS.ProcessEnv = { ...process.env };
const started: ChildProcess[] = [];

beforeAll(async () => {
  env.HEADGATE_DATA = join(folder, "data");
  env.PORT = String(await freePort());
  env.HEADGATE_GATEWAY_PORTS = `${await freePort()},${await freePort()}`;
});

afterAll(() => {
  for (const child of started) if (child.exitCode === null) child.kill("SIGKILL");
  for (const { pid } of processes()) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

test("npm start brings up console, worker, gateways and a sample API, and Ctrl-C ends them all within 5 s", async () => {
  const first = await start();
  expect(await status(`http://127.0.0.1:${env.PORT}/api/v1/health`)).toBe(200);
  for (const port of String(env.HEADGATE_GATEWAY_PORTS).split(",")) {
    expect(await status(`http://127.0.0.1:${port}/v1/messages`)).toBe(200);
    expect(await status(`http://127.0.0.1:${Number(port) + 1000}/ready`)).toBe(200);
  }
  expect(first.output()).toMatch(/Sign in {4}admin@headgate\.local, password \S{20,}/);

  const refused = await run();
  expect(refused.code).toBe(2);
  expect(refused.output).toContain(`Headgate already runs on ${env.HEADGATE_DATA}`);

  const all = processes();
  expect(all.map(({ name }) => name.split(" ")[0]).sort()).toEqual(
    ["console", "gateway", "gateway", "postgres", "redis", "upstream", "worker"].sort(),
  );
  const began = performance.now();
  process.kill(-pidOf(first.child), "SIGINT");
  await waitFor(() => first.child.exitCode !== null, {
    timeoutMs: STOP_WITHIN_MS,
    what: "the end of npm start",
  });
  expect(performance.now() - began).toBeLessThan(STOP_WITHIN_MS);
  expect(first.child.exitCode).toBe(0);
  expect(all.filter(({ pid }) => isAlive(pid))).toEqual([]);
}, 120_000);

test("what a killed start left is stopped by the next one, which has the same data", async () => {
  const first = await start();
  const left = processes();
  first.child.kill("SIGKILL");
  await waitFor(() => first.child.signalCode !== null);
  const second = await start();
  expect(second.output()).toContain("stopped what a killed start had left");
  expect(left.filter(({ pid }) => isAlive(pid))).toEqual([]);
  expect(second.output()).toContain("the database is up to date");
  second.child.kill("SIGTERM");
  await waitFor(() => second.child.exitCode !== null, { timeoutMs: STOP_WITHIN_MS });
}, 120_000);

test("a given Redis that does not answer is told at once, and stops nothing", async () => {
  const { child, output } = await start({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
  await waitFor(() => /note: Redis does not answer.*console\.log says why/.test(output()));
  child.kill("SIGTERM");
  await waitFor(() => child.exitCode !== null, { timeoutMs: STOP_WITHIN_MS });
}, 120_000);

test("every wrong variable is named before anything is started", async () => {
  const { code, output } = await run({ PORT: "abc", HEADGATE_UPSTREAM: "nowhere" });
  expect(code).toBe(2);
  expect(output).toContain('PORT must be a port 1..65535, got "abc"');
  expect(output).toContain("HEADGATE_UPSTREAM must be an address");
}, 60_000);

function launch(extra: Record<string, string> = {}) {
  const script = fileURLToPath(new URL("start.mjs", import.meta.url));
  // As npm does it: a process group that a terminal's Ctrl-C reaches as a whole.
  const child = spawn(process.execPath, [script, "--no-demo"], {
    env: { ...env, ...extra },
    detached: true,
  });
  started.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  return { child, output: () => output };
}

async function start(extra: Record<string, string> = {}) {
  const launched = launch(extra);
  await waitFor(
    () => {
      if (launched.child.exitCode !== null) throw new Error(launched.output());
      return launched.output().includes("Ctrl-C");
    },
    { timeoutMs: 100_000, what: "the summary of npm start" },
  );
  return launched;
}

async function run(extra: Record<string, string> = {}) {
  const launched = launch(extra);
  const code = await new Promise((resolve) => launched.child.once("close", resolve));
  return { code, output: launched.output() };
}

function processes(): { name: string; pid: number }[] {
  try {
    return JSON.parse(readFileSync(join(String(env.HEADGATE_DATA), "running.json"), "utf8"))
      .processes;
  } catch {
    return [];
  }
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error("it was not started");
  return child.pid;
}

async function status(url: string): Promise<number> {
  const response = await fetch(url);
  await response.body?.cancel();
  return response.status;
}
