import type { DirectoryDelta, DirectoryEntry, DirectoryHead } from "@/lib/core/directory";
import { DirectoryDeltaSchema, DirectoryEntrySchema } from "@/lib/core/directory";
import { FINGERPRINT_HEX, linesOf } from "@/lib/core/directory-lines";
import type { Reader, Tx } from "./client";

/** Rows of a chunk: its text stays near a quarter of a MiB. */
const CHUNK_ROWS = 5_000;

/** How many rows there are about: what a reader makes room for. */
export async function directorySize(reader: Reader): Promise<DirectoryHead["expected"]> {
  const keys = await reader.keySecret.count({ where: { revokedAt: null } });
  const ids = await reader.apiKey.count({ where: { revokedAt: null } });
  const [{ others = 0 } = {}] = await reader.$queryRaw<{ others: number }[]>`
    SELECT count(*)::int AS others FROM customer c
    WHERE NOT EXISTS (SELECT 1 FROM api_key k WHERE k.id = c.id AND k.revoked_at IS NULL)`;
  return { keys, names: ids + others };
}

/**
 * Everything the directory knows now, as chunks of directory-lines: customers, keys that are not revoked, overrides
 * that have not ended. In one snapshot transaction. Postgres writes the lines and reads its tables in their own order:
 * pages by key would cost a seek a row, which took minutes for two million.
 */
export async function* directoryChunks(tx: Tx, now: Date): AsyncGenerator<Uint8Array> {
  // Every row is wanted: a plan that gives the first ones soon is not.
  await tx.$executeRaw`SET LOCAL cursor_tuple_fraction = 1.0`;
  yield* cursorChunks(
    tx,
    "directory_customers",
    "SELECT 'c ' || id || ' ' || plan AS line FROM customer",
  );
  yield* cursorChunks(tx, "directory_keys", keyLines(now));
  yield* linesOf(await overrideEntries(tx, now));
}

/** A cursor's statement takes no parameters. */
function keyLines(now: Date): string {
  return `SELECT 'k ' || left(s.hash, ${FINGERPRINT_HEX}) || ' ' || k.id
      || CASE WHEN k.customer_id = k.id THEN '' ELSE ' ' || k.customer_id END
      || CASE WHEN s.expires_at IS NULL THEN ''
         ELSE ' @' || floor(extract(epoch FROM s.expires_at) * 1000)::bigint END AS line
    FROM key_secret s JOIN api_key k ON k.id = s.api_key_id
    WHERE s.revoked_at IS NULL AND k.revoked_at IS NULL
      AND (s.expires_at IS NULL OR s.expires_at > '${now.toISOString()}'::timestamptz)`;
}

async function* cursorChunks(tx: Tx, name: string, statement: string): AsyncGenerator<Uint8Array> {
  await tx.$executeRawUnsafe(`DECLARE ${name} NO SCROLL CURSOR FOR ${statement}`);
  for (;;) {
    const rows = await tx.$queryRawUnsafe<{ line: string }[]>(`FETCH ${CHUNK_ROWS} FROM ${name}`);
    if (rows.length > 0)
      yield Buffer.from(`${rows.map(({ line }) => line).join("\n")}\n`, "latin1");
    if (rows.length < CHUNK_ROWS) break;
  }
  await tx.$executeRawUnsafe(`CLOSE ${name}`);
}

async function overrideEntries(reader: Reader, now: Date): Promise<DirectoryEntry[]> {
  const overrides = await reader.override.findMany({
    where: { endedAt: null, expiresAt: { gt: now } },
    orderBy: { id: "asc" },
  });
  return overrides.map((row) =>
    DirectoryEntrySchema.parse({
      type: "override",
      id: row.id,
      client: row.client,
      rule: row.ruleId,
      limit: row.limit,
      expiresAtMs: row.expiresAt.getTime(),
    }),
  );
}

/** Steps after `seq`, oldest first, at most `count`. */
export async function directoryDeltas(
  reader: Reader,
  { epoch, seq, count }: { epoch: number; seq: number; count: number },
): Promise<DirectoryDelta[]> {
  const rows = await reader.directoryChange.findMany({
    where: { epoch, seq: { gt: seq } },
    orderBy: { seq: "asc" },
    take: count,
  });
  return rows.map((row) =>
    DirectoryDeltaSchema.parse({ epoch: row.epoch, seq: row.seq, entries: row.entries }),
  );
}

/** What the steps after `seq` take in the database, in bytes. */
export async function deltaBytes(
  reader: Reader,
  { epoch, seq }: { epoch: number; seq: number },
): Promise<number> {
  const [row] = await reader.$queryRaw<{ bytes: number }[]>`
    SELECT coalesce(sum(pg_column_size(entries)), 0)::float8 AS bytes FROM directory_change
    WHERE epoch = ${epoch} AND seq > ${seq}`;
  return row?.bytes ?? 0;
}
