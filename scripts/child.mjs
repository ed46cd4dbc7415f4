// Child processes: their logs, when they are ready, how they end, how they are stopped. Built-ins only.
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * @typedef {object} Running
 * @property {number} pid
 * @property {Promise<void>} ready rejects when it ended first or took too long; it is stopped then
 * @property {Promise<string>} exited how it ended, such as "code 1" or "signal SIGKILL"
 * @property {(signal: NodeJS.Signals) => void} kill
 * @property {() => Promise<void>} stop asks, then insists; resolves when the process is gone
 */

/** Aborted when this process was told to end: what runs to its end is then cut short. */
export const interrupt = new AbortController();

/**
 * Starts a process in a group of its own, so that a terminal's Ctrl-C reaches it only through us, in our order.
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.command
 * @param {string[]} options.args
 * @param {string} options.logFile
 * @param {Record<string, string | undefined>} [options.env]
 * @param {string} [options.cwd]
 * @param {string} [options.input]
 * @param {{ uid: number, gid: number } | undefined} [options.account]
 * @param {(pid: number) => boolean | Promise<boolean>} [options.isReady]
 * @param {number} [options.timeoutMs]
 * @param {NodeJS.Signals} [options.ask]
 * @param {NodeJS.Signals} [options.insist]
 * @returns {Running}
 */
export function startChild({
  name,
  command,
  args,
  logFile,
  env = process.env,
  cwd = process.cwd(),
  input = "",
  account,
  isReady = () => true,
  timeoutMs = 60_000,
  ask = "SIGTERM",
  insist = "SIGKILL",
}) {
  const log = openSync(logFile, "a");
  const child = spawn(command, args, {
    stdio: ["pipe", log, log],
    detached: true,
    env,
    cwd,
    ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
  });
  closeSync(log);
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  const pid = child.pid ?? 0;
  /** @type {string | undefined} */
  let ended;
  /** @type {Promise<string>} */
  const exited = new Promise((resolve) => {
    const end = (/** @type {string} */ how) => {
      ended = how;
      resolve(how);
    };
    child.once("error", (error) => end(error.message));
    child.once("exit", (code, signal) =>
      end(signal === null ? `code ${code}` : `signal ${signal}`),
    );
  });

  async function stop() {
    if (ended !== undefined) return;
    // A process that SIGSTOP holds would never see the signal.
    child.kill("SIGCONT");
    child.kill(ask);
    const timers = [
      setTimeout(() => child.kill(insist), 1_500),
      setTimeout(() => child.kill("SIGKILL"), 2_500),
    ];
    await exited;
    for (const timer of timers) clearTimeout(timer);
  }

  async function untilReady() {
    const deadline = performance.now() + timeoutMs;
    while (!(await isReady(pid)) || ended !== undefined) {
      if (ended !== undefined)
        throw new Error(`${name} ended while starting (${ended}).${lastLines(logFile)}`);
      if (performance.now() > deadline) {
        await stop();
        throw new Error(`${name} was not ready after ${timeoutMs / 1000} s.${lastLines(logFile)}`);
      }
      await sleep(25);
    }
  }

  const ready = untilReady();
  ready.catch(() => {});
  return { pid, ready, exited, kill: (signal) => void child.kill(signal), stop };
}

/**
 * Runs a program to its end and returns its standard output. Throws with what it said when it fails.
 * @param {{ name: string, command: string, args: string[], input?: string, env?: Record<string, string | undefined>, cwd?: string, account?: { uid: number, gid: number } | undefined }} options
 * @returns {Promise<string>}
 */
export function runToEnd({
  name,
  command,
  args,
  input = "",
  env = process.env,
  cwd = process.cwd(),
  account,
}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
      signal: interrupt.signal,
      env,
      cwd,
      ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
    });
    const output = { out: "", all: "" };
    child.stdout.on("data", (chunk) => {
      output.out += chunk;
      output.all += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output.all += chunk;
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve(output.out);
      else reject(new Error(`${name} ended with ${signal ?? code}:\n${output.all.trim()}`));
    });
  });
}

/**
 * The end of a log, for messages about a process that ended.
 * @param {string} logFile
 */
export function lastLines(logFile) {
  const text = existsSync(logFile) ? readFileSync(logFile, "utf8").trimEnd() : "";
  if (text === "") return ` Its log ${logFile} is empty.`;
  const lines = text
    .split("\n")
    .slice(-6)
    .map((line) => `  | ${line.slice(0, 200)}`);
  return ` The end of ${logFile}:\n${lines.join("\n")}`;
}

/** @param {number} pid */
export function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
