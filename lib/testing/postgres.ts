import { randomBytes } from "node:crypto";
import { chown, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { freePort } from "../../scripts/ports.mjs";
import {
  findPostgres,
  initPostgres,
  reachableBinaries,
  runPostgres,
  serviceAccount,
} from "../../scripts/postgres.mjs";
import { makeTestFolder, remember, sweepLeftovers } from "./leftovers";

const root = fileURLToPath(new URL("../..", import.meta.url));

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
  sweepLeftovers();
  const account = serviceAccount();
  const folder = makeTestFolder("postgres");
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
  remember(folder, running.pid);
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
