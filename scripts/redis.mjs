// Runs a Redis server of our own, for `npm start` and for tests. Built-ins only.
import { accessSync, constants } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { startChild } from "./child.mjs";

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
 * @param {{ command: string, args?: string[], port: number, password?: string, config?: string[], logFile: string }} options
 *   `config` lines go in by stdin, which keeps a password out of the process list.
 * @returns {import("./child.mjs").Running}
 */
export function runRedis({ command, args = ["-"], port, password, config = [], logFile }) {
  const lines = [`port ${port}`, "bind 127.0.0.1", ...config];
  if (password !== undefined) lines.push(`requirepass ${password}`);
  return startChild({
    name: "Redis",
    command,
    args,
    logFile,
    input: `${lines.join("\n")}\n`,
    isReady: () => pingRedis(port, password),
  });
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
