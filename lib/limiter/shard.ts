import type { Redis } from "ioredis";
import type { Clock } from "@/lib/clock";
import { tokenBucket } from "@/lib/core/bucket";
import type { CheckFailure, CheckResult, CheckRule } from "@/lib/core/check";
import type { LimiterCounters } from "./counters";
import { createDeadlineQueue } from "./deadline-queue";
import { ALL_CHECKED, createFallback, type LimiterDecision } from "./fallback";
import { createRedisStore } from "./redis-store";
import { createRedisTime } from "./redis-time";
import { createShardHealth, type ShardMode } from "./shard-health";
import { type LimiterRule, stateKey } from "./state-key";

/** One Redis with what guards it: deadline, expiry in its own time, breaker, and this gateway's share meanwhile. */
export type Shard = {
  readonly name: string;
  /** Decided by this Redis, or within the deadline by this gateway alone; rejects only on a programming error. */
  decide(rules: readonly LimiterRule[]): Promise<LimiterDecision>;
  status(): ShardStatus;
  /** Redis's clock in µs; undefined before the first answer. */
  nowUs(): number | undefined;
  /** Decides what is pending, locally. */
  close(): void;
};

export type ShardStatus = Readonly<ShardMode> & {
  name: string;
  breaker: "closed" | "open";
};

type Options = {
  name: string;
  redis: Redis;
  environment: string;
  clock: Clock;
  fleetSize: () => number;
  deadlineMs: number;
  counters: LimiterCounters;
  onModeChange(status: ShardStatus): void;
};

type Pending = {
  rules: readonly CheckRule[];
  /** Asked again after an answer that it had expired. */
  isSecond: boolean;
  sentMs: number;
  deadlineMs: number;
  isSettled: boolean;
  settle(result: CheckResult): void;
};

export function createShard(options: Options): Shard {
  const { name, redis, environment, clock, fleetSize, deadlineMs, counters } = options;
  const store = createRedisStore({ redis });
  const fallback = createFallback({ clock, fleetSize });
  const redisTime = createRedisTime();
  const queue = createDeadlineQueue<Pending>({ clock, onOverdue: timedOut });
  const probeRules: readonly CheckRule[] = [probeRule(environment)];
  let isClosed = false;
  const health = createShardHealth({
    redis,
    clock,
    counters,
    probe: (settle) => void ask(probeRules, settle),
    forgetLocal: () => fallback.forgetAll(),
    onModeChange: () => options.onModeChange(status()),
  });

  function ask(
    rules: readonly CheckRule[],
    settle: Pending["settle"],
    isSecond = false,
  ): Promise<void> {
    const pending: Pending = {
      rules,
      isSecond,
      sentMs: 0,
      deadlineMs: 0,
      isSettled: false,
      settle,
    };
    const result = store.check({ rules, expiryUs: () => goesOut(pending) });
    return result.then((result) => answered(pending, result));
  }

  /**
   * Expired and yet answered before this process noticed its deadline: both were held up, or the clock was judged
   * wrongly. It was surely not charged and Redis is there, so it is asked once more.
   */
  function isWorthAsking({ isSecond }: Pending, result: CheckResult): boolean {
    if (isSecond || isClosed || health.isOpen || redis.status !== "ready") return false;
    return result.verdict === "unavailable" && result.reason === "expired";
  }

  /** The deadline runs from here: what a check waits for its turn in a busy process is no fault of Redis. */
  function goesOut(pending: Pending): number | undefined {
    pending.sentMs = clock.monotonicMs();
    pending.deadlineMs = pending.sentMs + deadlineMs;
    health.watch.sent();
    queue.push(pending);
    return redisTime.at(pending.deadlineMs);
  }

  function answered(pending: Pending, result: CheckResult): Promise<void> | undefined {
    const nowMs = clock.monotonicMs();
    health.watch.answered();
    if (result.nowUs !== undefined) {
      redisTime.observe({ sentMs: pending.sentMs, receivedMs: nowMs, redisUs: result.nowUs });
    }
    if (result.verdict === "unavailable" && result.reason === "expired") counters.expired += 1;
    if (pending.isSettled) {
      if (result.nowUs !== undefined) counters.late += 1;
      return undefined;
    }
    pending.isSettled = true;
    if (isWorthAsking(pending, result)) return ask(pending.rules, pending.settle, true);
    if (result.verdict === "unavailable") health.failed(result, nowMs < pending.deadlineMs);
    else health.answered();
    pending.settle(result);
    return undefined;
  }

  function timedOut(pending: Pending): void {
    pending.isSettled = true;
    const message = `Redis did not answer within ${deadlineMs} ms`;
    const failure: CheckFailure = { verdict: "unavailable", reason: "timeout", message };
    health.failed(failure, false);
    pending.settle(failure);
  }

  function decideLocally(rules: readonly LimiterRule[]): LimiterDecision {
    counters.localDecisions += 1;
    health.decidedLocally();
    return fallback.decide(rules);
  }

  function status(): ShardStatus {
    return { name, ...health.mode(), breaker: health.isOpen ? "open" : "closed" };
  }

  return {
    name,
    decide: (rules) =>
      new Promise((resolve, reject) => {
        if (health.isOpen || isClosed) {
          resolve(decideLocally(rules));
          return;
        }
        ask(rules, (result) => {
          try {
            if (result.verdict === "unavailable") resolve(decideLocally(rules));
            else resolve({ ...result, unchecked: ALL_CHECKED });
          } catch (thrown) {
            reject(thrown);
          }
        }).catch(reject);
      }),
    status,
    nowUs: () => redisTime.at(clock.monotonicMs()),
    close() {
      isClosed = true;
      health.close();
      for (const pending of queue.drain()) {
        pending.isSettled = true;
        const message = "the limiter is closing";
        pending.settle({ verdict: "unavailable", reason: "disconnected", message });
      }
    },
  };
}

/** Always has tokens, so that each probe writes; its key is gone a second later. */
function probeRule(environment: string): CheckRule {
  return {
    ruleId: "_probe",
    key: stateKey(environment, "_probe"),
    slot: 0,
    role: "enforced",
    limit: tokenBucket({ rate: 1_000_000, per: "1s", burst: 1_000_000 }),
    cost: 1,
  };
}
