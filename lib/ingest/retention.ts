import {
  BACKTEST_KEPT_MS,
  BACKTEST_LOG_KEPT_MS,
  UNENDED_LOG_KEPT_MS,
} from "@/lib/control/backtest-kept";
import { COUNTS_KEPT_MS } from "@/lib/control/counts-kept";
import { TAPE_KEPT_BYTES, TAPE_KEPT_MS } from "@/lib/control/tape-kept";
import { inTransaction, type Tx } from "@/lib/db/client";
import { readDirectoryPosition } from "@/lib/redis/directory";
import { runLoop } from "./loop";
import { DEFAULT_PARTITIONS, keepPartitions } from "./partitions";
import type { WorkerCtx } from "./worker-context";

const DAY_MS = 86_400_000;

/** How long each kind of row is kept. Audit, versions, revisions and slots are kept for good. */
export const KEPT_MS = {
  /** Counts, clients, gateways and the hit log, by level; whole partitions at a time. */
  ...COUNTS_KEPT_MS,
  /** Numbers of ingested batches, but the newest of each boot: a stream holds hours, not days. */
  ingestedBatches: 2 * DAY_MS,
  /** The newest number of a boot that is long over. */
  boots: 30 * DAY_MS,
  outbox: 7 * DAY_MS,
  /** Directory steps that the base in Redis already contains. */
  directoryChanges: DAY_MS,
  rejectedEntries: 30 * DAY_MS,
  resolvedAlerts: 90 * DAY_MS,
  /** What was sent of alerts, or given up. */
  webhookDeliveries: 30 * DAY_MS,
  /** Answers for repeated requests. */
  idempotentRequests: DAY_MS,
  /** Counts of sign-in attempts, whose windows are of a minute or an hour. */
  attempts: DAY_MS,
  /** Blocks of tape, and less when they are more than TAPE_KEPT_BYTES. */
  tape: TAPE_KEPT_MS,
  backtests: BACKTEST_KEPT_MS,
  backtestLogs: BACKTEST_LOG_KEPT_MS,
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
    await keepPartitions(ctx);
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

/** Rows whose instant in `column` is longer ago than they are kept; a null instant is never old. */
function olderThan(table: string, column: string, keptMs: number): Step {
  // The statement's text is of this file's own names; only the values are parameters.
  const text = `DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM ${table}
    WHERE ${column} < $1::timestamptz LIMIT $2)`;
  return (tx, nowMs) => tx.$executeRawUnsafe(text, before(nowMs, keptMs), ROWS_PER_STEP);
}

const STEPS: Step[] = [
  ...DEFAULT_PARTITIONS.map(({ table, column, keptMs }) => olderThan(table, column, keptMs)),
  // The newest number of a boot stays: without it the next batch would look like the first after a gap.
  (tx, nowMs) => tx.$executeRaw`
    DELETE FROM ingested_batch WHERE ctid IN (SELECT old.ctid FROM ingested_batch old
      WHERE old.ingested_at < ${before(nowMs, KEPT_MS.ingestedBatches)}::timestamptz
        AND (old.ingested_at < ${before(nowMs, KEPT_MS.boots)}::timestamptz
          OR EXISTS (SELECT 1 FROM ingested_batch newer WHERE newer.gateway_id = old.gateway_id
            AND newer.boot = old.boot AND newer.sequence > old.sequence))
      LIMIT ${ROWS_PER_STEP})`,
  olderThan("outbox", "done_at", KEPT_MS.outbox),
  olderThan("rejected_entry", "created_at", KEPT_MS.rejectedEntries),
  olderThan("alert", "resolved_at", KEPT_MS.resolvedAlerts),
  olderThan("webhook_delivery", "created_at", KEPT_MS.webhookDeliveries),
  olderThan("idempotent_request", "claimed_at", KEPT_MS.idempotentRequests),
  olderThan("gateway", "last_seen_at", KEPT_MS.gateways),
  (tx, nowMs) => tx.$executeRaw`
    DELETE FROM rate_limit WHERE ctid IN (SELECT ctid FROM rate_limit
      WHERE last_request < ${BigInt(nowMs - KEPT_MS.attempts)} LIMIT ${ROWS_PER_STEP})`,
  olderThan("tape_block", "from_at", KEPT_MS.tape),
  (tx) => trimTape(tx, TAPE_KEPT_BYTES),
  olderThan("tape_client", "hour", KEPT_MS.tape),
  olderThan("backtest", "created_at", KEPT_MS.backtests),
  olderThan("backtest_log", "created_at", KEPT_MS.backtestLogs),
  (tx, nowMs) => tx.$executeRaw`
    DELETE FROM backtest_log WHERE complete_at IS NULL
      AND created_at < ${before(nowMs, UNENDED_LOG_KEPT_MS)}::timestamptz`,
];

/** The oldest blocks beyond so many bytes in all. */
export async function trimTape(tx: Tx, keptBytes: number): Promise<number> {
  const { _sum } = await tx.tapeBlock.aggregate({ _sum: { size: true } });
  if ((_sum.size ?? 0) <= keptBytes) return 0;
  return tx.$executeRaw`
    DELETE FROM tape_block WHERE ctid IN (
      SELECT newest.ctid FROM (
        SELECT ctid, sum(size) OVER (ORDER BY from_at DESC, gateway_id, boot, sequence) AS bytes
        FROM tape_block) newest
      WHERE newest.bytes > ${keptBytes} LIMIT ${ROWS_PER_STEP})`;
}

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
