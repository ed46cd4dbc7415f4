import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { waitFor } from "../lib/testing/wait-for";
import { isAlive, startChild } from "./child.mjs";
import { clearEarlier, createKeeper } from "./keeper.mjs";

let folder: string;
let file: string;
let said: string[];
let keeper: ReturnType<typeof createKeeper>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "headgate-keeper-"));
  file = join(folder, "running.json");
  said = [];
  keeper = createKeeper({ file, say: (line: string) => said.push(line) });
});

afterEach(async () => {
  await keeper.stop();
  rmSync(folder, { recursive: true });
});

// Writes "<name> up", then "<name> down" when told to end.
const SCRIPT = `
  const { appendFileSync } = require("node:fs");
  const [log, name] = process.argv.slice(1);
  appendFileSync(log, name + " up\\n");
  process.on("SIGTERM", () => setTimeout(() => { appendFileSync(log, name + " down\\n"); process.exit(0); }, 50));
  setInterval(() => {}, 1000);
`;

test("stages end one after the other, the lowest first", async () => {
  await Promise.all([kept("database", 2), kept("gateway", 0), kept("console", 1)].map(keeper.keep));
  await waitFor(() => events().length === 3);
  await keeper.stop();
  expect(events().slice(3)).toEqual(["gateway down", "console down", "database down"]);
  expect(existsSync(file)).toBe(false);
});

test("a process that ends by itself is named with its last lines and started again", async () => {
  await keeper.keep({ ...kept("worker", 1), restartAfterMs: 20 });
  await waitFor(() => events().length === 1);
  process.kill(pidOf("worker"), "SIGKILL");
  await waitFor(() => events().filter((event) => event === "worker up").length === 2);
  expect(said.join("\n")).toContain("worker ended by itself (signal SIGKILL).");
  expect(said.join("\n")).toContain("worker is started again in 0.02 s");
});

test("one that cannot start rejects with how it ended and its last lines, and is not retried", async () => {
  const logFile = join(folder, "bad.log");
  const start = () =>
    startChild({
      name: "bad",
      command: process.execPath,
      args: ["-e", "console.error('no such thing'); process.exit(3)"],
      logFile,
      isReady: () => false,
    });
  await expect(keeper.keep({ name: "bad", stage: 1, logFile, start })).rejects.toThrow(
    /^bad ended while starting \(code 3\)\. The end of .*bad\.log:\n {2}\| no such thing$/,
  );
  expect(said).toEqual([]);
});

test("one that hangs under SIGSTOP still ends in an orderly way", async () => {
  await keeper.keep(kept("gateway", 0));
  await waitFor(() => events().length === 1);
  const pid = pidOf("gateway");
  process.kill(pid, "SIGSTOP");
  await keeper.stop();
  expect(isAlive(pid)).toBe(false);
  expect(events()).toContain("gateway down");
});

test("a running supervisor is found; what a killed one left is stopped, and no stranger with its pid", async () => {
  await Promise.all([kept("gateway", 0), kept("worker", 1)].map(keeper.keep));
  await waitFor(() => events().length === 2);
  expect(await clearEarlier(file)).toEqual({ pid: process.pid });

  const state = JSON.parse(readFileSync(file, "utf8"));
  const stranger = { name: "stranger", stage: 0, pid: process.pid, born: "long ago" };
  const orphaned = join(folder, "orphaned.json");
  writeFileSync(
    orphaned,
    JSON.stringify({
      pid: process.pid,
      born: "long ago",
      processes: [stranger, ...state.processes],
    }),
  );
  expect(await clearEarlier(orphaned)).toEqual({ stopped: ["gateway", "worker"] });
  expect(events().slice(2)).toContain("gateway down");
  expect(existsSync(orphaned)).toBe(false);
});

function kept(name: string, stage: number) {
  const logFile = join(folder, `${name}.log`);
  const args = ["-e", SCRIPT, join(folder, "events"), name];
  const start = () => startChild({ name, command: process.execPath, args, logFile });
  return { name, stage, logFile, start };
}

function events(): string[] {
  const path = join(folder, "events");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}

function pidOf(name: string): number {
  const { processes } = JSON.parse(readFileSync(file, "utf8"));
  return processes.find((entry: { name: string }) => entry.name === name).pid;
}
