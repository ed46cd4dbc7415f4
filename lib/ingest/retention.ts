import { inTransaction, type Tx } from "@/lib/db/client";
import { readDirectoryPosition } from "@/lib/redis/directory";
import { runLoop } from "./loop";
import type { WorkerCtx } from "./worker-context";

const DAY_MS = 86_400_000;

/** How long each kind of row is kept. Audit, versions, revisions and slots are kept for good. */
export const KEPT_MS = {
  /** Counts, clients and gateways by minute, and the hit log. */
  minutes: 14 * DAY_MS,
  /** Numbers of ingested batches, but the newest of each boot: a stream holds hours, not days. */
  ingestedBatches: 2 * DAY_MS,
  /** The newest number of a boot that is long over. */
  boots: 30 * DAY_MS,
  outbox: 7 * DAY_MS,
  /** Directory steps that the base in Redis already contains. */
  directoryChanges: DAY_MS,
  rejectedEntries: 30 * DAY_MS,
  resolvedAlerts: 90 * DAY_MS,
  /** Gateways not heard of. */
  gateways: 30 * DAY_MS,
} as const;

/** "reta" in ASCII: one worker at a time. */
const RETENTION_LOCK = 0x72657461;
const ROWS_PER_STEP = 5_000;

export function runRetention(ctx: WorkerCtx, signal: AbortSignal): Promise<void> {
  const everyMs = ctx.timings.retentionMs;
  const pass = async () => {
    await retain(ctx, signal);
  };
  return runLoop({ name: "retention", pass, everyMs, log: ctx.log }, signal);
}

/** Removes what is older than it is kept, a few thousand rows a transaction; how many in all. */
export async function retain(ctx: WorkerCtx, signal?: AbortSignal): Promise<number> {
  let removed = 0;
  for (const step of [...STEPS, await directoryStep(ctx)]) {
    for (;;) {
      if (signal?.aborted) return removed;
      const count = await inTransaction(ctx.db, async (tx) => {
        const [lock] = await tx.$queryRaw<{ held: boolean }[]>`
          SELECT pg_try_advisory_xact_lock(${RETENTION_LOCK}) AS held`;
        return lock?.held ? step(tx, ctx.clock.nowMs()) : 0;
      });
      removed += count;
      if (count < ROWS_PER_STEP) break;
    }
  }
  if (removed > 0) ctx.log.info({ removed }, "old rows removed");
  return removed;
}

type Step = (tx: Tx, nowMs: number) => Promise<number>;

const before = (nowMs: number, keptMs: number) => new Date(nowMs - keptMs);

const STEPS: Step[] = [
  (tx, nowMs) => tx.$executeRaw`
    DELETE FROM count_minute WHERE ctid IN (SELECT ctid FROM count_minute
      WHERE minute < ${before(nowMs, KEPT_MS.minutes)}::timestamptz LIMIT ${ROWS_PER_STEP})`,
  (tx, nowMs) => tx.$executeRaw`
    DELETE FROM client_minute WHERE ctid IN (SELECT ctid FROM client_minute
      WHERE minute < ${before(nowMs, KEPT_MS.minutes)}::timestamptz LIMIT ${ROWS_PER_STEP})`,
  (tx, nowMs) => tx.$executeRaw`
    DELETE FROM gateway_minute WHERE ctid IN (SELECT ctid FROM gateway_minute
      WHERE minute < ${before(nowMs, KEPT_MS.minutes)}::timestamptz LIMIT ${ROWS_PER_STEP})`,
  (tx, nowMs) => tx.$executeRaw`
    DELETE FROM hit_sample WHERE ctid IN (SELECT ctid FROM hit_sample
      WHERE at < ${before(nowMs, KEPT_MS.minutes)}::timestamptz LIMIT ${ROWS_PER_STEP})`,
  // The newest number of a boot stays: without it the next batch would look like the first after a gap.
  (tx, nowMs) => tx.$executeRaw`
    DELETE FROM ingested_batch WHERE ctid IN (SELECT old.ctid FROM ingested_batch old
      WHERE old.ingested_at < ${before(nowMs, KEPT_MS.ingestedBatches)}::timestamptz
        AND (old.ingested_at < ${before(nowMs, KEPT_MS.boots)}::timestamptz
          OR EXISTS (SELECT 1 FROM ingested_batch newer WHERE newer.gateway_id = old.gateway_id
            AND newer.boot = old.boot AND newer.sequence > old.sequence))
      LIMIT ${ROWS_PER_STEP})`,
  (tx, nowMs) => tx.$executeRaw`
    DELETE FROM outbox WHERE ctid IN (SELECT ctid FROM outbox
      WHERE done_at < ${before(nowMs, KEPT_MS.outbox)}::timestamptz LIMIT ${ROWS_PER_STEP})`,
  (tx, nowMs) => tx.$executeRaw`
    DELETE FROM rejected_entry WHERE ctid IN (SELECT ctid FROM rejected_entry
      WHERE created_at < ${before(nowMs, KEPT_MS.rejectedEntries)}::timestamptz LIMIT ${ROWS_PER_STEP})`,
  (tx, nowMs) => tx.$executeRaw`
    DELETE FROM alert WHERE ctid IN (SELECT ctid FROM alert
      WHERE resolved_at < ${before(nowMs, KEPT_MS.resolvedAlerts)}::timestamptz LIMIT ${ROWS_PER_STEP})`,
  (tx, nowMs) => tx.$executeRaw`
    DELETE FROM gateway WHERE ctid IN (SELECT ctid FROM gateway
      WHERE last_seen_at < ${before(nowMs, KEPT_MS.gateways)}::timestamptz LIMIT ${ROWS_PER_STEP})`,
];

/** Only what the base in Redis holds: the relay still needs the steps behind it. */
async function directoryStep({ redis, redisKeys }: WorkerCtx): Promise<Step> {
  const base = await readDirectoryPosition(redis, redisKeys);
  if (base === null) return async () => 0;
  return (tx, nowMs) => tx.$executeRaw`
    DELETE FROM directory_change WHERE ctid IN (SELECT ctid FROM directory_change
      WHERE created_at < ${before(nowMs, KEPT_MS.directoryChanges)}::timestamptz
        AND (epoch < ${base.epoch} OR (epoch = ${base.epoch} AND seq <= ${base.seq}))
      LIMIT ${ROWS_PER_STEP})`;
}
