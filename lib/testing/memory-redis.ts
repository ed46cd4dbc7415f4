import { ManualClock } from "@/lib/clock";
import type { LimiterDecision } from "@/lib/limiter/fallback";
import { createMemoryCounters } from "@/lib/limiter/memory-counters";
import { createMemoryStore } from "@/lib/limiter/memory-store";
import { createPrecision } from "@/lib/limiter/precision";
import type { LimiterRule } from "@/lib/limiter/state-key";
import { createLog } from "@/lib/log";

/** A second's and a minute's beginning. */
const START_MS = Date.UTC(2026, 0, 1);

/** What stands for Redis in tests of what is decided before it: the shipped arithmetic on a manual clock. */
export function createMemoryRedis() {
  const clock = new ManualClock(START_MS);
  const nowUs = () => Math.round(clock.nowMs() * 1000);
  const store = createMemoryStore({ clock, nowUs });
  const redis = {
    clock,
    /** Where it is away, a gateway answers alone: here it allows all. */
    isAway: false,
    /** Rules that it was asked about. */
    asked: [] as LimiterRule[],
    calls: 0,
    async ask(rules: readonly LimiterRule[]): Promise<LimiterDecision> {
      redis.calls += 1;
      redis.asked.push(...rules);
      if (redis.isAway) return allowedLocally(rules, nowUs());
      const result = store.checkNow({ rules, leaseId: `n${redis.calls}` });
      if (result.verdict === "unavailable") throw new Error(result.message);
      return { ...result, source: "redis", unchecked: [] };
    },
    /** A gateway of its own. */
    gateway(options: { fleet?: number; leaseAbovePerSecond?: number } = {}) {
      const counters = createMemoryCounters();
      const precision = createPrecision({
        ask: redis.ask,
        environment: "test",
        clock,
        fleetSize: () => options.fleet ?? 1,
        leaseAbovePerSecond: options.leaseAbovePerSecond ?? 200,
        counters,
        log: createLog({ name: "test", level: "silent" }),
      });
      return { ...precision, counters };
    },
  };
  return redis;
}

function allowedLocally(rules: readonly LimiterRule[], nowUs: number): LimiterDecision {
  const perRule = rules.map(({ ruleId, role }) => ({
    ruleId,
    role,
    allowed: true,
    charged: true,
    remaining: 1,
    resetMs: 0,
    retryAfterMs: 0,
  }));
  const binding = perRule.find(({ role }) => role === "enforced") ?? null;
  return { verdict: "allowed", binding, perRule, nowUs, source: "local", unchecked: [] };
}
