import type { Redis } from "ioredis";
import {
  acknowledge,
  claimIdle,
  dropIdleConsumers,
  ensureGroup,
  INGEST_GROUP,
  isGroupMissing,
  readNew,
  readOwnPending,
  type StreamEntry,
  type StreamReader,
  trimAcknowledged,
} from "@/lib/redis/streams";
import type { WorkerCtx } from "./worker-context";

export { INGEST_GROUP };

const TRIM_EVERY_MS = 1_000;
const CONSUMER_FORGOTTEN_MS = 3600_000;

type Options = {
  stream: string;
  /** Where the blocking read waits. */
  blocking: Redis;
  /** Entries a pass at most. */
  count: number;
  /** Stores what was read, all of it, or throws: then it is read again. */
  store(entries: StreamEntry[]): Promise<void>;
};

/**
 * One pass over a stream: first what an earlier pass failed to store or to acknowledge, then what a dead worker
 * left, then what is new. Acknowledges after `store`, so an entry may be stored twice and is never lost.
 */
export function streamPass(ctx: WorkerCtx, { stream, blocking, count, store }: Options) {
  const reader: StreamReader = { stream, group: INGEST_GROUP, consumer: ctx.workerId };
  const { blockMs, claimIdleMs } = ctx.timings;
  let hasOwn = true;
  let claimAtMs = 0;
  let trimAtMs = 0;
  let hasTrimmable = true;

  async function read(): Promise<StreamEntry[]> {
    if (hasOwn) {
      const own = await readOwnPending(ctx.redis, reader, count);
      if (own.length > 0) return own;
      hasOwn = false;
    }
    if (ctx.clock.monotonicMs() >= claimAtMs) {
      const left = await claimIdle(ctx.redis, reader, { count, idleMs: claimIdleMs });
      if (left.length > 0) {
        ctx.log.info({ stream, entries: left.length }, "took over what another worker left");
        return left;
      }
      await dropIdleConsumers(ctx.redis, reader, CONSUMER_FORGOTTEN_MS);
      claimAtMs = ctx.clock.monotonicMs() + claimIdleMs / 3;
    }
    return readNew(blocking, reader, { count, blockMs });
  }

  async function storeNext(): Promise<void> {
    const entries = await read();
    if (entries.length === 0) return;
    hasOwn = true;
    await store(entries.filter(({ json }) => json !== null));
    const ids = entries.map(({ id }) => id);
    await acknowledge(ctx.redis, reader, ids);
    hasOwn = false;
    hasTrimmable = true;
    const cut = entries.filter(({ json }) => json === null).length;
    if (cut > 0) ctx.log.warn({ stream, entries: cut }, "the stream's cap cut entries unread");
  }

  async function trim(): Promise<void> {
    if (!hasTrimmable || ctx.clock.monotonicMs() < trimAtMs) return;
    await trimAcknowledged(ctx.redis, reader);
    trimAtMs = ctx.clock.monotonicMs() + TRIM_EVERY_MS;
    hasTrimmable = false;
  }

  return async function pass(): Promise<void> {
    if (ctx.redis.status !== "ready" || blocking.status !== "ready")
      throw new Error("Redis is not connected");
    try {
      await storeNext();
      await trim();
    } catch (error) {
      if (!isGroupMissing(error)) throw error;
      await ensureGroup(ctx.redis, reader);
    }
  };
}
