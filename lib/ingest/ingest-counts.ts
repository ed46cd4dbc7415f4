import type { Unstorable } from "@/lib/control/set-aside";
import { type ReceivedBatch, takeBatches } from "@/lib/control/take-batches";
import { CountBatchSchema } from "@/lib/core/counts";
import type { StreamEntry } from "@/lib/redis/streams";
import { runLoop } from "./loop";
import { readEntry } from "./read-entry";
import { streamPass } from "./read-stream";
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

async function storeCounts(ctx: WorkerCtx, entries: readonly StreamEntry[]): Promise<void> {
  const received: ReceivedBatch[] = [];
  const unreadable: Unstorable[] = [];
  for (const entry of entries) {
    const read = readEntry(CountBatchSchema, entry, ctx.environment);
    if (read.ok) received.push({ id: entry.id, batch: read.value });
    else unreadable.push({ id: entry.id, payload: entry.json ?? "", reason: read.reason });
  }
  await takeBatches(ctx, { source: ctx.redisKeys.counts, received, unreadable });
}
