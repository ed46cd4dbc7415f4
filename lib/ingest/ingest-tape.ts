import type { Unstorable } from "@/lib/control/set-aside";
import { type ReceivedBlock, takeTape } from "@/lib/control/take-tape";
import { TapeEntrySchema } from "@/lib/core/tape-entry";
import type { StreamEntry } from "@/lib/redis/streams";
import { runLoop } from "./loop";
import { readEntry } from "./read-entry";
import { streamPass } from "./read-stream";
import type { WorkerCtx } from "./worker-context";

/** Decoding holds the event loop a millisecond or two a block. */
const BLOCKS_PER_PASS = 20;

export function runIngestTape(ctx: WorkerCtx, signal: AbortSignal): Promise<void> {
  const pass = streamPass(ctx, {
    stream: ctx.redisKeys.tape,
    blocking: ctx.blocking.tape,
    count: BLOCKS_PER_PASS,
    store: (entries) => storeTape(ctx, entries),
  });
  return runLoop({ name: "ingest-tape", pass, everyMs: 0, log: ctx.log }, signal);
}

async function storeTape(ctx: WorkerCtx, entries: readonly StreamEntry[]): Promise<void> {
  const received: ReceivedBlock[] = [];
  const unreadable: Unstorable[] = [];
  for (const entry of entries) {
    const read = readEntry(TapeEntrySchema, entry, ctx.environment);
    if (read.ok) received.push({ id: entry.id, block: read.value });
    else unreadable.push({ id: entry.id, payload: entry.json ?? "", reason: read.reason });
  }
  await takeTape(ctx, { source: ctx.redisKeys.tape, received, unreadable });
}
