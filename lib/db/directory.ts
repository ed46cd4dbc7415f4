import type { DirectoryDelta, DirectoryEntry, DirectoryHead } from "@/lib/core/directory";
import { DirectoryDeltaSchema, DirectoryEntrySchema } from "@/lib/core/directory";
import { FINGERPRINT_HEX, linesOf } from "@/lib/core/directory-lines";
import type { Reader } from "./client";

/** Rows of a page: its text stays near a quarter of a MiB. */
const PAGE_ROWS = 5_000;

type Page = { last: string | null; lines: string | null };

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
 * that have not ended. Postgres writes the lines, a page at a time, so that millions of rows make no objects here.
 * In one snapshot, else a page may contradict another.
 */
export async function* directoryChunks(reader: Reader, now: Date): AsyncGenerator<Uint8Array> {
  yield* pagesOf((after) => customerPage(reader, after));
  yield* pagesOf((after) => keyPage(reader, after, now));
  yield* linesOf(await overrideEntries(reader, now));
}

async function* pagesOf(read: (after: string) => Promise<Page[]>): AsyncGenerator<Uint8Array> {
  let after = "";
  for (;;) {
    const [{ last, lines } = { last: null, lines: null }] = await read(after);
    if (last === null || lines === null) return;
    yield Buffer.from(lines, "latin1");
    after = last;
  }
}

function customerPage(reader: Reader, after: string): Promise<Page[]> {
  return reader.$queryRaw<Page[]>`
    SELECT max(id) AS last, string_agg('c ' || id || ' ' || plan || chr(10), '') AS lines
    FROM (SELECT id, plan FROM customer WHERE id > ${after} ORDER BY id LIMIT ${PAGE_ROWS}) page`;
}

function keyPage(reader: Reader, after: string, now: Date): Promise<Page[]> {
  return reader.$queryRaw<Page[]>`
    SELECT max(hash) AS last, string_agg(line, '') AS lines FROM (
      SELECT s.hash, 'k ' || left(s.hash, ${FINGERPRINT_HEX}::int) || ' ' || k.id
        || CASE WHEN k.customer_id = k.id THEN '' ELSE ' ' || k.customer_id END
        || CASE WHEN s.expires_at IS NULL THEN ''
           ELSE ' @' || floor(extract(epoch FROM s.expires_at) * 1000)::bigint END
        || chr(10) AS line
      FROM key_secret s JOIN api_key k ON k.id = s.api_key_id
      WHERE s.hash > ${after} AND s.revoked_at IS NULL AND k.revoked_at IS NULL
        AND (s.expires_at IS NULL OR s.expires_at > ${now}::timestamptz)
      ORDER BY s.hash LIMIT ${PAGE_ROWS}) page`;
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
