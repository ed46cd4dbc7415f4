import type { Redis } from "ioredis";
import type { Clock } from "@/lib/clock";
import type { Log } from "@/lib/log";
import { createCounters, type LimiterCounters } from "./counters";
import { ALL_CHECKED, type LimiterDecision } from "./fallback";
import { createShard, type ShardStatus } from "./shard";
import type { LimiterRule } from "./state-key";

const CHECK_DEADLINE_MS = 10;

export type LimiterStatus = {
  /** `local`: this gateway decides alone, or did within the last half second. */
  mode: "shared" | "local";
  /** Unix ms. */
  sinceMs: number;
  /** Why local; null when shared. */
  error: string | null;
  breaker: "closed" | "open";
  /** Redis's clock minus this machine's wall clock; null before the first answer. */
  clockOffsetMs: number | null;
};

export type Limiter = {
  /** Decided by Redis, or within the deadline by this gateway alone; rejects only on a programming error. */
  check(rules: readonly LimiterRule[]): Promise<LimiterDecision>;
  status(): LimiterStatus;
  readonly counters: Readonly<LimiterCounters>;
  /** Decides what is pending, locally. Before the Redis client is closed, or that reads as an outage. */
  close(): void;
};

export type LimiterOptions = {
  /** From `connectRedis({role: "check"})`; stays the caller's to close. */
  redis: Redis;
  environment: string;
  clock: Clock;
  log: Log;
  /** Gateways live and silent, as last known; local limits are divided by it. */
  fleetSize: () => number;
  deadlineMs?: number;
  /** Called at once when the mode changes, before the next local answer is given. */
  onModeChange?: (status: LimiterStatus) => void;
};

export function createLimiter({
  redis,
  environment,
  clock,
  log,
  fleetSize,
  deadlineMs = CHECK_DEADLINE_MS,
  onModeChange,
}: LimiterOptions): Limiter {
  const counters = createCounters();
  const shard = createShard({
    name: "redis",
    redis,
    environment,
    clock,
    fleetSize,
    deadlineMs,
    counters,
    onModeChange: changed,
  });

  function changed({ mode, error }: ShardStatus): void {
    try {
      onModeChange?.(status());
    } catch (thrown) {
      log.error({ error: thrown, mode }, "a listener to the limiter's mode failed");
    }
    if (mode === "local")
      log.warn({ reason: error, gateways: fleetSize() }, "limits are local: redis does not decide");
    else log.info({ localDecisions: counters.localDecisions }, "limits are shared again");
  }

  function status(): LimiterStatus {
    const { mode, sinceMs, error, breaker } = shard.status();
    const redisUs = shard.nowUs();
    const clockOffsetMs = redisUs === undefined ? null : redisUs / 1000 - clock.nowMs();
    return { mode, sinceMs, error, breaker, clockOffsetMs };
  }

  function nothingToCheck(): LimiterDecision {
    const nowUs = shard.nowUs() ?? clock.nowMs() * 1000;
    const source = shard.status().mode === "shared" ? "redis" : "local";
    const none = { binding: null, perRule: [], unchecked: ALL_CHECKED };
    return { verdict: "allowed", ...none, nowUs, source };
  }

  return {
    check(rules) {
      counters.checks += 1;
      return rules.length === 0 ? Promise.resolve(nothingToCheck()) : shard.decide(rules);
    },
    status,
    counters,
    close: shard.close,
  };
}
