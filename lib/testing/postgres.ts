import { randomBytes } from "node:crypto";
import { chown, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { isAlive } from "../../scripts/child.mjs";
import {
  findPostgres,
  initPostgres,
  postmaster,
  reachableBinaries,
  runPostgres,
  serviceAccount,
} from "../../scripts/postgres.mjs";
import { freePort } from "../../scripts/redis.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const prefix = "headgate-test-postgres-";

export type TestPostgres = {
  /** The superuser's own database; make others beside it. */
  url: string;
  port: number;
  pid: number;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
};

export type TestDatabase = { url: string; drop(): Promise<void> };

/** A real Postgres without durability, in a temporary folder. */
export async function startPostgres(): Promise<TestPostgres> {
  await sweep();
  const account = serviceAccount();
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  if (account) await chown(folder, account.uid, account.gid);
  const binaries = reachableBinaries(findPostgres(root), account);
  const data = join(folder, "data");
  await initPostgres({ binaries, folder: data, account });
  const port = await freePort();
  const running = runPostgres({
    binaries,
    folder: data,
    port,
    account,
    logFile: join(folder, "postgres.log"),
    settings: {
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
      max_connections: "300",
    },
  });
  await running.ready;
  const onExit = () => running.kill("SIGQUIT");
  process.once("exit", onExit);
  return {
    url: `postgresql://headgate@127.0.0.1:${port}/headgate`,
    port,
    pid: running.pid,
    kill: running.kill,
    stop: async () => {
      process.off("exit", onExit);
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A database of its own on the given server, a copy of `template` where one is named. */
export async function createDatabase(serverUrl: string, template?: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await execute(
    serverUrl,
    `CREATE DATABASE ${name}${template === undefined ? "" : ` TEMPLATE ${template}`}`,
  );
  return {
    url: databaseUrl(serverUrl, name),
    drop: () => execute(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Ends servers whose test run was killed before it could. */
async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue;
    const runner = Number(name.slice(prefix.length).split("-")[0]);
    if (isAlive(runner)) continue;
    const folder = join(tmpdir(), name);
    const left = postmaster(join(folder, "data"));
    if (left) process.kill(left.pid, "SIGQUIT");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
