// Runs a Redis server of our own, for `npm start` and for tests. Built-ins only.
import { spawn } from "node:child_process";
import { accessSync, closeSync, constants, openSync } from "node:fs";
import { connect, createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tail } from "./postgres.mjs";

/**
 * @typedef {{ pid: number, port: number, stop(): Promise<void>, kill(signal: NodeJS.Signals): void, exited: Promise<number | null> }} RunningRedis
 */

/** A `redis-server` or `valkey-server` on PATH. */
export function findRedisServer() {
  for (const name of ["redis-server", "valkey-server"]) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {}
    }
  }
  return undefined;
}

/**
 * Starts a server in a process group of its own, so that a terminal's Ctrl-C does not reach it, and waits for its PONG.
 * @param {{ command: string, args?: string[], port: number, password?: string, config?: string[], logFile: string, env?: NodeJS.ProcessEnv, timeoutMs?: number }} options
 *   `config` lines go in by stdin, which keeps a password out of the process list.
 * @returns {Promise<RunningRedis>}
 */
export async function runRedis({
  command,
  args = ["-"],
  port,
  password,
  config = [],
  logFile,
  env = process.env,
  timeoutMs = 20_000,
}) {
  const log = openSync(logFile, "a");
  const child = spawn(command, args, { stdio: ["pipe", log, log], detached: true, env });
  closeSync(log);
  const lines = [`port ${port}`, "bind 127.0.0.1", ...config];
  if (password !== undefined) lines.push(`requirepass ${password}`);
  child.stdin?.on("error", () => {});
  child.stdin?.end(`${lines.join("\n")}\n`);
  /** @type {Promise<number | null>} */
  const exited = new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("exit", (code) => resolve(code));
  });
  let gone = false;
  void exited.then(() => {
    gone = true;
  });
  const deadline = performance.now() + timeoutMs;
  while (!(await pingRedis(port, password))) {
    if (gone) throw new Error(`Redis ended while starting; its last lines:\n${tail(logFile)}`);
    if (performance.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(
        `Redis was not ready after ${timeoutMs} ms; its last lines:\n${tail(logFile)}`,
      );
    }
    await sleep(20);
  }
  return {
    pid: child.pid ?? 0,
    port,
    exited,
    kill: (signal) => void child.kill(signal),
    stop: async () => {
      // A server stopped by SIGSTOP would never see SIGTERM.
      child.kill("SIGCONT");
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 3_000);
      await exited;
      clearTimeout(timer);
    },
  };
}

/**
 * True when a server answers PONG, false on anything else, within 500 ms.
 * @param {number} port
 * @param {string} [password]
 * @returns {Promise<boolean>}
 */
export function pingRedis(port, password) {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    let answer = "";
    /** @param {boolean} ok */
    const done = (ok) => {
      socket.destroy();
      resolve(ok);
    };
    socket.setTimeout(500, () => done(false));
    socket.on("error", () => done(false));
    socket.on("close", () => done(false));
    socket.on("data", (chunk) => {
      answer += chunk;
      if (answer.includes("PONG\r\n")) done(true);
      else if (answer.includes("-")) done(false);
    });
    const auth = password === undefined ? "" : `AUTH ${password}\r\n`;
    socket.write(`${auth}PING\r\n`);
  });
}

/**
 * A port that nothing listens on at this moment.
 * @returns {Promise<number>}
 */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
