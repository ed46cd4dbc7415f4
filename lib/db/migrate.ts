import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";

// Prisma's own lock number and table, so that `prisma migrate deploy` and this runner can take turns.
const LOCK = 72_707_369;
const TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL, finished_at timestamptz,
  migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`;

export type Migration = { name: string; sql: string; checksum: string };
type Row = {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  logs: string | null;
};
type Options = { databaseUrl: string; folder: string; lockTimeoutMs?: number };

/** Applies what is new in name order and returns those names. Throws, and applies nothing more, when the history does not fit. */
export async function migrate({
  databaseUrl,
  folder,
  lockTimeoutMs = 30_000,
}: Options): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // The lock is the session's: closing the connection gives it back, even after a crash.
    await client.query(`SET lock_timeout = ${lockTimeoutMs}`);
    await client.query("SELECT pg_advisory_lock($1)", [LOCK]);
    await client.query("SET lock_timeout = 0");
    await client.query("SET client_min_messages = warning");
    await client.query(TABLE);
    const { rows } = await client.query<Row>(
      "SELECT migration_name, checksum, finished_at, logs FROM _prisma_migrations WHERE rolled_back_at IS NULL",
    );
    const pending = findPending(migrations, rows);
    for (const migration of pending) await apply(client, migration);
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** What of a folder is not applied by these rows of `_prisma_migrations`, and how many are. Throws as `migrate` does. */
export async function pendingMigrations(
  folder: string,
  rows: Row[],
): Promise<{ pending: string[]; applied: number }> {
  const migrations = await readMigrations(folder);
  const pending = findPending(migrations, rows).map(({ name }) => name);
  return { pending, applied: migrations.length - pending.length };
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const bytes = await readFile(join(folder, name, "migration.sql"));
      return {
        name,
        sql: bytes.toString("utf8"),
        checksum: createHash("sha256").update(bytes).digest("hex"),
      };
    }),
  );
}

function findPending(migrations: Migration[], rows: Row[]): Migration[] {
  const failed = rows.find((row) => row.finished_at === null);
  if (failed) {
    throw new Error(
      `migration ${failed.migration_name} failed earlier: mend the database by hand, then set finished_at or rolled_back_at of its row in _prisma_migrations. It said: ${failed.logs ?? "(nothing: it was interrupted)"}`,
    );
  }
  const applied = new Map(rows.map((row) => [row.migration_name, row.checksum]));
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = [...applied.keys()].filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new Error(
      `the database has migrations that this program does not: ${unknown.join(", ")}. Is it newer?`,
    );
  }
  for (const { name, checksum } of migrations) {
    const stored = applied.get(name);
    if (stored !== undefined && stored !== checksum) {
      throw new Error(
        `migration ${name} was edited after it was applied: put the file back and add a new one`,
      );
    }
  }
  return migrations.filter(({ name }) => !applied.has(name));
}

async function apply(client: Client, { name, sql, checksum }: Migration): Promise<void> {
  const id = randomUUID();
  await client.query(
    "INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)",
    [id, checksum, name],
  );
  try {
    // One query without parameters is one implicit transaction: a file applies whole or not at all.
    await client.query(sql);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    await client.query("UPDATE _prisma_migrations SET logs = $2 WHERE id = $1", [id, said]);
    throw new Error(`migration ${name} failed: ${said}`, { cause });
  }
  await client.query(
    "UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = $1",
    [id],
  );
}
