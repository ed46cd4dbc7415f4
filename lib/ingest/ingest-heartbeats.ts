import { setAside } from "@/lib/control/set-aside";
import { storeHeartbeat } from "@/lib/control/store-heartbeat";
import { type Heartbeat, HeartbeatSchema } from "@/lib/core/heartbeat";
import { compareVersions } from "@/lib/core/version";
import { inTransaction } from "@/lib/db/client";
import { isDataError } from "@/lib/db/sql-state";
import { entryMs, type StreamEntry } from "@/lib/redis/streams";
import { announceVersion, meetVersion } from "./announce-version";
import { reasonOf, runLoop } from "./loop";
import { readEntry } from "./read-entry";
import { streamPass } from "./read-stream";
import type { WorkerCtx } from "./worker-context";

const HEARTBEATS_PER_PASS = 200;

export function runIngestHeartbeats(ctx: WorkerCtx, signal: AbortSignal): Promise<void> {
  const read = streamPass(ctx, {
    stream: ctx.redisKeys.heartbeats,
    blocking: ctx.blocking.heartbeats,
    count: HEARTBEATS_PER_PASS,
    store: (entries) => storeHeartbeats(ctx, entries),
  });
  const pass = async () => {
    try {
      await read();
      ctx.health.heartbeatsSinceMs ??= ctx.clock.monotonicMs();
    } catch (error) {
      ctx.health.heartbeatsSinceMs = null;
      throw error;
    }
  };
  return runLoop({ name: "ingest-heartbeats", pass, everyMs: 0, log: ctx.log }, signal);
}

/** Each in a transaction of its own: one that cannot be stored is set aside, the others are not touched. */
export async function storeHeartbeats(
  ctx: WorkerCtx,
  entries: readonly StreamEntry[],
): Promise<void> {
  const seen: Heartbeat[] = [];
  for (const entry of entries) {
    const read = readEntry(HeartbeatSchema, entry, ctx.environment);
    if (read.ok) {
      const heartbeat = await storeOne(ctx, entry, read.value);
      if (heartbeat !== null) seen.push(heartbeat);
    } else {
      await keepAside(ctx, entry, read.reason);
    }
  }
  await meetNewest(ctx, seen);
}

async function storeOne(
  ctx: WorkerCtx,
  entry: StreamEntry,
  heartbeat: Heartbeat,
): Promise<Heartbeat | null> {
  try {
    const receivedMs = entryMs(entry.id);
    await inTransaction(ctx.db, (tx) => storeHeartbeat(tx, { heartbeat, receivedMs }));
    return heartbeat;
  } catch (error) {
    if (!isDataError(error)) throw error;
    await keepAside(ctx, entry, `Postgres refused it: ${reasonOf(error)}`);
    return null;
  }
}

async function keepAside(ctx: WorkerCtx, { id, json }: StreamEntry, reason: string) {
  const entries = [{ id, payload: json ?? "", reason }];
  const source = ctx.redisKeys.heartbeats;
  await inTransaction(ctx.db, (tx) => setAside(tx, { log: ctx.log, source, entries }));
}

async function meetNewest(ctx: WorkerCtx, heartbeats: readonly Heartbeat[]): Promise<void> {
  const [newest] = heartbeats
    .flatMap(({ applied }) => (applied === null ? [] : [applied]))
    .toSorted((a, b) => compareVersions(b, a));
  if (newest !== undefined && (await meetVersion(ctx, newest))) await announceVersion(ctx);
}
