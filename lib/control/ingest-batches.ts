import type { CountBatch } from "@/lib/core/counts";
import type { Tx } from "@/lib/db/client";
import { minuteOf, rollUp } from "./roll-up";
import { gapChanges, type IngestedSequence } from "./sequence-gaps";
import {
  addClients,
  addCounts,
  addGateways,
  addHits,
  markKeysUsed,
  markOverridesUsed,
} from "./write-roll-up";

/** "inge" in ASCII: any number that nothing else in this database locks. */
export const INGEST_LOCK = 0x696e6765;
/** A worker that hangs in its transaction loses it, and with it the lock. */
const IDLE_TIMEOUT = "10s";

export type Ingested = { stored: number; duplicates: number };

/**
 * Stores each batch once, whoever brings it and how often: (gateway, boot, sequence) is unique and inserted in the
 * transaction that adds its figures. One ingest at a time, so that rows are never locked in two orders and a gap of
 * the sequence is judged with all its neighbours in sight.
 */
export async function ingestBatches(tx: Tx, batches: readonly CountBatch[]): Promise<Ingested> {
  if (batches.length === 0) return { stored: 0, duplicates: 0 };
  await tx.$executeRaw`SELECT set_config('idle_in_transaction_session_timeout', ${IDLE_TIMEOUT}, true)`;
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${INGEST_LOCK})`;
  const fresh = await claimSequences(tx, batches);
  if (fresh.length > 0) {
    const { counts, clients, gateways } = rollUp(fresh);
    const missing = await missingMinutes(tx, fresh);
    await addCounts(tx, counts);
    await addClients(tx, clients);
    await addHits(tx, fresh);
    await markOverridesUsed(tx, fresh);
    await markKeysUsed(tx, fresh);
    await addGateways(tx, gateways, missing);
  }
  return { stored: fresh.length, duplicates: batches.length - fresh.length };
}

async function claimSequences(tx: Tx, batches: readonly CountBatch[]): Promise<CountBatch[]> {
  const json = JSON.stringify(
    batches.map(({ gateway, boot, sequence, fromMs }) => ({ gateway, boot, sequence, fromMs })),
  );
  const claimed = await tx.$queryRaw<{ gateway: string; boot: string; sequence: number }[]>`
    INSERT INTO ingested_batch (gateway_id, boot, sequence, counted_at)
    SELECT r.gateway, r.boot, r.sequence, to_timestamp(r."fromMs" / 1000.0)
    FROM json_to_recordset(${json}::json) AS r(gateway text, boot text, sequence int, "fromMs" bigint)
    ON CONFLICT DO NOTHING
    RETURNING gateway_id AS gateway, boot, sequence`;
  const open = new Set(claimed.map(keyOf));
  // The first of two equal ones takes the claim, the second finds it gone.
  return batches.filter((batch) => open.delete(keyOf(batch)));
}

type Missing = { gateway: string; minute: number; missing: number };
type Neighbour = { gateway: string; boot: string; sequence: number; minute: number };

async function missingMinutes(tx: Tx, fresh: readonly CountBatch[]): Promise<Missing[]> {
  const byBoot = groupByBoot(fresh);
  const ranges = [...byBoot.values()].flatMap((batches) => {
    const [{ gateway, boot } = { gateway: "", boot: "" }] = batches;
    const sequences = batches.map(({ sequence }) => sequence);
    return [{ gateway, boot, first: Math.min(...sequences), last: Math.max(...sequences) }];
  });
  // The bounds first, once a boot: a plan that looks them up for each batch takes seconds.
  const rows = await tx.$queryRaw<Neighbour[]>`
    WITH bounds AS MATERIALIZED (
      SELECT r.gateway, r.boot,
        COALESCE((SELECT max(n.sequence) FROM ingested_batch n
          WHERE n.gateway_id = r.gateway AND n.boot = r.boot AND n.sequence < r.first), r.first) AS lowest,
        COALESCE((SELECT min(n.sequence) FROM ingested_batch n
          WHERE n.gateway_id = r.gateway AND n.boot = r.boot AND n.sequence > r.last), r.last) AS highest
      FROM json_to_recordset(${JSON.stringify(ranges)}::json) AS r(gateway text, boot text, first int, last int))
    SELECT bounds.gateway, bounds.boot, b.sequence, b.minute
    FROM bounds CROSS JOIN LATERAL (
      SELECT n.sequence, floor(extract(epoch FROM n.counted_at) / 60)::int AS minute
      FROM ingested_batch n WHERE n.gateway_id = bounds.gateway AND n.boot = bounds.boot
        AND n.sequence BETWEEN bounds.lowest AND bounds.highest
      ORDER BY n.sequence) b`;
  const added = new Set(fresh.map(keyOf));
  const existing = groupByBoot(rows.filter((row) => !added.has(keyOf(row))));
  return [...byBoot].flatMap(([key, batches]) => {
    const changes = gapChanges({
      existing: existing.get(key) ?? [],
      added: batches.map(
        (batch): IngestedSequence => ({ sequence: batch.sequence, minute: minuteOf(batch) }),
      ),
    });
    const gateway = batches[0]?.gateway ?? "";
    return [...changes].map(([minute, missing]) => ({ gateway, minute, missing }));
  });
}

function keyOf({ gateway, boot, sequence }: { gateway: string; boot: string; sequence: number }) {
  return `${gateway} ${boot} ${sequence}`;
}

function groupByBoot<Row extends { gateway: string; boot: string }>(rows: readonly Row[]) {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.gateway} ${row.boot}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}
