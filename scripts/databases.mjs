// The embedded Postgres and Redis of `npm start`, with data under HEADGATE_DATA. Built-ins only.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  canReach,
  findPostgres,
  initPostgres,
  reachableBinaries,
  runPostgres,
  serviceAccount,
  sharedFolder,
} from "./postgres.mjs";
import { findRedisServer, runRedis } from "./redis.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * @param {{ dataDir: string, logsDir: string, port: number, password: string }} options
 */
export async function preparePostgres({ dataDir, logsDir, port, password }) {
  const { folder, note } = postgresFolder(dataDir);
  const account = serviceAccount(folder);
  const binaries = reachableBinaries(findPostgres(root), account);
  await initPostgres({ binaries, folder, account, password });
  const logFile = join(logsDir, "postgres.log");
  return {
    logFile,
    url: `postgresql://headgate:${encodeURIComponent(password)}@127.0.0.1:${port}/headgate`,
    what: `PostgreSQL ${binaries.version}, embedded, data in ${folder}${note}`,
    start: () => runPostgres({ binaries, folder, account, port, logFile }),
  };
}

/**
 * Under HEADGATE_DATA, except that Postgres may not run as root: then it must lie where the account that we lend it may go.
 * @param {string} dataDir
 */
function postgresFolder(dataDir) {
  const own = join(dataDir, "pg");
  const memo = join(dataDir, "pg-location");
  if (existsSync(memo)) {
    const folder = readFileSync(memo, "utf8").trim();
    return { folder, note: `, as ${dataDir} is closed to other users` };
  }
  if (canReach(dataDir, serviceAccount())) return { folder: own, note: "" };
  if (existsSync(own)) {
    throw new Error(
      `Postgres cannot run as root, and ${serviceAccount()?.name} may not enter ${dataDir}, where its data is: open the folders above it (chmod a+x)`,
    );
  }
  const id = createHash("sha256").update(dataDir).digest("hex").slice(0, 12);
  const folder = join(sharedFolder(), `headgate-data-${id}`, "pg");
  // Its data folder was removed, and with it the secrets that this data needs.
  if (existsSync(folder)) renameSync(folder, `${folder}-${Date.now()}`);
  writeFileSync(memo, `${folder}\n`);
  return { folder, note: `, as ${dataDir} is closed to other users` };
}

/**
 * @param {{ dataDir: string, logsDir: string, port: number, password: string }} options
 */
export function prepareRedis({ dataDir, logsDir, port, password }) {
  const logFile = join(logsDir, "redis.log");
  const url = `redis://:${encodeURIComponent(password)}@127.0.0.1:${port}/0`;
  const common = { port, password, logFile };
  const server = findRedisServer();
  if (server !== undefined) {
    const folder = join(dataDir, "redis");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Saved when it is stopped. An append-only file would have each check wait for a disk that Postgres keeps busy.
    const config = [`dir "${folder}"`, "appendonly no", "save 300 1"];
    return {
      logFile,
      url,
      what: `${server}, data in ${folder}`,
      start: () => runRedis({ ...common, command: server, config }),
    };
  }
  const args = ["--no-warnings", join(root, "dist", "embedded-redis.mjs")];
  return {
    logFile,
    url,
    what: "Valkey in WebAssembly, as no redis-server is installed; it keeps nothing between starts",
    start: () => runRedis({ ...common, command: process.execPath, args }),
  };
}
