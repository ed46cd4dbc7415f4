import { ingestBatches } from "@/lib/control/ingest-batches";
import { type CountBatch, CountBatchSchema } from "@/lib/core/counts";
import { inTransaction } from "@/lib/db/client";
import { isDataError } from "@/lib/db/sql-state";
import type { StreamEntry } from "@/lib/redis/streams";
import { runLoop } from "./loop";
import { readEntry } from "./read-entry";
import { streamPass } from "./read-stream";
import { keepRejected, type Rejected } from "./rejected-entries";
import type { WorkerCtx } from "./worker-context";

const BATCHES_PER_PASS = 100;

export function runIngestCounts(ctx: WorkerCtx, signal: AbortSignal): Promise<void> {
  const pass = streamPass(ctx, {
    stream: ctx.redisKeys.counts,
    blocking: ctx.blocking.counts,
    count: BATCHES_PER_PASS,
    store: (entries) => storeCounts(ctx, entries),
  });
  return runLoop({ name: "ingest-counts", pass, everyMs: 0, log: ctx.log }, signal);
}

type Read = { entry: StreamEntry; batch: CountBatch };

/** One transaction for all; if Postgres refuses the values of one, one for each, so that only that one is set aside. */
export async function storeCounts(ctx: WorkerCtx, entries: readonly StreamEntry[]): Promise<void> {
  const { good, rejected } = readAll(ctx, entries);
  try {
    await storeAll(ctx, good, rejected);
  } catch (error) {
    if (!isDataError(error)) throw error;
    await storeAll(ctx, [], rejected);
    for (const read of good) await storeOne(ctx, read);
  }
}

async function storeOne(ctx: WorkerCtx, read: Read): Promise<void> {
  try {
    await storeAll(ctx, [read], []);
  } catch (error) {
    if (!isDataError(error) || !(error instanceof Error)) throw error;
    await storeAll(
      ctx,
      [],
      [{ entry: read.entry, reason: `Postgres refused it: ${error.message}` }],
    );
  }
}

async function storeAll(ctx: WorkerCtx, good: readonly Read[], rejected: readonly Rejected[]) {
  if (good.length === 0 && rejected.length === 0) return;
  await inTransaction(ctx.db, async (tx) => {
    await keepRejected(tx, ctx, { stream: ctx.redisKeys.counts, rejected });
    await ingestBatches(
      tx,
      good.map(({ batch }) => batch),
    );
  });
}

function readAll(ctx: WorkerCtx, entries: readonly StreamEntry[]) {
  const good: Read[] = [];
  const rejected: Rejected[] = [];
  for (const entry of entries) {
    const read = readEntry(CountBatchSchema, entry, ctx.environment);
    const reason = read.ok ? wrongTime(read.value, ctx.clock.nowMs()) : read.reason;
    if (read.ok && reason === null) good.push({ entry, batch: read.value });
    else rejected.push({ entry, reason: reason ?? "" });
  }
  return { good, rejected };
}

/** A gateway whose clock is far ahead would fill minutes that reports and retention reach much later. */
const AHEAD_MAX_MS = 600_000;
const AGE_MAX_MS = 14 * 86_400_000;

function wrongTime({ fromMs, toMs, counts, clients }: CountBatch, nowMs: number): string | null {
  const times = [
    fromMs,
    toMs,
    ...counts.map(({ second }) => second * 1000),
    ...clients.map(({ minute }) => minute * 60_000),
  ];
  const wrong = times.find((ms) => ms > nowMs + AHEAD_MAX_MS || ms < nowMs - AGE_MAX_MS);
  if (wrong === undefined) return null;
  const hours = ((wrong - nowMs) / 3600_000).toFixed(1);
  return `a time in it is ${hours} h from now; -${AGE_MAX_MS / 3600_000} to ${(AHEAD_MAX_MS / 3600_000).toFixed(1)} h are taken`;
}
