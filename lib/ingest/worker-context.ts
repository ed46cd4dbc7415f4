import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Redis } from "ioredis";
import { type Control, type Ctx, SYSTEM, withActor } from "@/lib/control";
import { connectRedis, type RedisRole } from "@/lib/redis/connect";

/** How often each loop looks, in ms; tests shorten them. */
export type Timings = {
  relayPollMs: number;
  reassertMs: number;
  watchMs: number;
  schedulesMs: number;
  guardrailsMs: number;
  webhooksMs: number;
  backtestsMs: number;
  /** How long one blocking read of a stream waits. */
  blockMs: number;
  /** A consumer that holds an entry this long is taken for dead. Longer than a transaction may take. */
  claimIdleMs: number;
  retentionMs: number;
};

export const TIMINGS: Timings = {
  relayPollMs: 1_000,
  reassertMs: 5_000,
  watchMs: 2_000,
  schedulesMs: 1_000,
  guardrailsMs: 3_000,
  webhooksMs: 1_000,
  backtestsMs: 1_000,
  blockMs: 1_000,
  claimIdleMs: 35_000,
  retentionMs: 600_000,
};

export type WorkerCtx = Ctx & {
  /** Names this process as a consumer of streams; new at each start. */
  workerId: string;
  /** A blocking read holds its connection, so each stream has one. */
  blocking: { counts: Redis; heartbeats: Redis; tape: Redis };
  timings: Timings;
  health: {
    /** Since when heartbeats are read without a break, on the monotonic clock; null while they are not. */
    heartbeatsSinceMs: number | null;
  };
};

/** Lends `control`, opens the worker's own connections; `close` ends only those. */
export function openWorker(
  control: Control,
  timings: Partial<Timings> = {},
): WorkerCtx & { disconnect(): void } {
  const { config, log } = control;
  if (config.redis.control.kind !== "single")
    throw new Error("createControl lets no cluster through");
  const address = config.redis.control.node;
  const connect = (role: RedisRole, name: string) =>
    connectRedis({
      address,
      ...(config.redis.ca === undefined ? {} : { ca: config.redis.ca }),
      role,
      name,
      log,
    });
  const blocking = {
    counts: connect("blocking", "headgate-worker-counts"),
    heartbeats: connect("blocking", "headgate-worker-heartbeats"),
    tape: connect("blocking", "headgate-worker-tape"),
  };
  return {
    ...withActor(control, SYSTEM),
    workerId: `${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`,
    blocking,
    timings: { ...TIMINGS, ...timings },
    health: { heartbeatsSinceMs: null },
    disconnect: () => {
      blocking.counts.disconnect();
      blocking.heartbeats.disconnect();
      blocking.tape.disconnect();
    },
  };
}
