import type { DirectoryDelta, DirectoryEntry } from "@/lib/core/directory";
import { DirectoryDeltaSchema, DirectoryEntrySchema } from "@/lib/core/directory";
import type { Reader } from "./client";

/** Everything the directory knows now: customers, keys that are not revoked, overrides that have not ended. */
export async function directoryEntries(reader: Reader, now: Date): Promise<DirectoryEntry[]> {
  const customers = await reader.customer.findMany({
    select: { id: true, plan: true },
    orderBy: { id: "asc" },
  });
  const secrets = await reader.keySecret.findMany({
    where: { revokedAt: null, key: { revokedAt: null } },
    select: { hash: true, hashKeyId: true, key: { select: { id: true, customerId: true } } },
    orderBy: { hash: "asc" },
  });
  const overrides = await reader.override.findMany({
    where: { endedAt: null, expiresAt: { gt: now } },
    orderBy: { id: "asc" },
  });
  return [
    ...customers.map(({ id, plan }): DirectoryEntry => ({ type: "customer", id, plan })),
    ...secrets.map(
      ({ hash, hashKeyId, key }): DirectoryEntry => ({
        type: "key",
        hash,
        keyId: hashKeyId,
        id: key.id,
        customer: key.customerId,
      }),
    ),
    ...overrides.map((row) =>
      DirectoryEntrySchema.parse({
        type: "override",
        id: row.id,
        client: row.client,
        rule: row.ruleId,
        limit: row.limit,
        expiresAtMs: row.expiresAt.getTime(),
      }),
    ),
  ];
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
