import type { Redis } from "ioredis";
import type { Clock } from "@/lib/clock";
import { tokenBucket } from "@/lib/core/bucket";
import type { CheckRequest, CheckResult, CheckRule } from "@/lib/core/check";
import { failure } from "./check-batch";
import type { LimiterCounters } from "./counters";
import { createDeadlineQueue } from "./deadline-queue";
import { ALL_CHECKED, createFallback, type LimiterDecision } from "./fallback";
import type { LeaseHolder } from "./in-flight";
import type { Lease } from "./lease";
import type { Member, Way } from "./places";
import { redirectOf } from "./redirect";
import { createRedisLeases, type RedisLeases } from "./redis-leases";
import { createRedisStore } from "./redis-store";
import { createRedisTime } from "./redis-time";
import { createShardHealth, type ShardMode } from "./shard-health";
import { type LimiterRule, stateKey } from "./state-key";

/** One Redis with what guards it: deadline, expiry in its own time, breaker, and this gateway's share meanwhile. */
export type Shard = Member & {
  readonly name: string;
  /** Decided by this Redis, or within the deadline by this gateway alone; rejects only on a programming error. */
  decide(rules: readonly LimiterRule[], leaseId?: string): Promise<LimiterDecision>;
  /** By this gateway's share of the limits, which is forgotten once this Redis decides again. */
  decideLocally(rules: readonly LimiterRule[], leaseId?: string): LimiterDecision;
  refundLocally(rules: readonly LimiterRule[]): void;
  /** Of requests in flight, here and at its Redis. */
  leases: ShardLeases;
  status(): ShardStatus;
  /** Redis's clock in µs; undefined before the first answer. */
  nowUs(): number | undefined;
  /** Decides what is pending, locally. */
  close(): void;
};

/** Gives back what its node says lies elsewhere. */
export type ShardLeases = RedisLeases & Pick<LeaseHolder, "hold">;

/** Why a shard did not ask its Redis: surely nothing ran. */
export const GIVEN_UP = "Redis is given up for now";

export type ShardStatus = Readonly<ShardMode> & {
  name: string;
  breaker: "closed" | "open";
  /** Since the start. */
  localDecisions: number;
};

export type ShardOptions = {
  environment: string;
  clock: Clock;
  fleetSize: () => number;
  deadlineMs: number;
  /** Of all shards. */
  counters: LimiterCounters;
  onModeChange(): void;
};

type Options = ShardOptions & {
  name: string;
  redis: Redis;
  /** Of a node of a cluster. */
  cluster?: {
    slotOf(key: string): number;
    /** A key that this node owns. */
    probeKey(): string;
    /** It answered as one that may own its slots no more. */
    onDoubt(): void;
  };
};

type Pending = {
  request: CheckRequest;
  way: Way;
  /** Asked again after an answer that it had expired. */
  isSecond: boolean;
  sentMs: number;
  deadlineMs: number;
  isSettled: boolean;
  settle(result: CheckResult): void;
};

export function createShard(options: Options): Shard {
  const { name, redis, environment, clock, fleetSize, deadlineMs, counters, cluster } = options;
  const slots = cluster === undefined ? {} : { slotOf: cluster.slotOf };
  const store = createRedisStore({ redis, ...slots });
  const leases = createRedisLeases(redis);
  const redisTime = createRedisTime();
  const offsetMs = clock.nowMs() - clock.monotonicMs();
  const fallback = createFallback({ clock, fleetSize, nowUs: clockUs });
  const queue = createDeadlineQueue<Pending>({ clock, onOverdue: timedOut });
  const probeKey = cluster?.probeKey ?? (() => stateKey(environment, "_probe"));
  let localDecisions = 0;
  let isClosed = false;
  const health = createShardHealth({
    redis,
    clock,
    counters,
    probe: (settle) => void send({ rules: [probeRule(probeKey())] }, "alone", settle),
    forgetLocal: () => fallback.forgetAll(),
    onModeChange: options.onModeChange,
  });

  function send(
    request: CheckRequest,
    way: Way,
    settle: Pending["settle"],
    isSecond = false,
  ): Promise<void> {
    const pending: Pending = {
      request,
      way,
      isSecond,
      sentMs: 0,
      deadlineMs: 0,
      isSettled: false,
      settle,
    };
    const timed = { ...request, expiryUs: () => goesOut(pending), clockUs };
    const result = way === "usual" ? store.check(timed) : store.checkAlone(timed, way === "asking");
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
    if (isWorthAsking(pending, result))
      return send(pending.request, pending.way, pending.settle, true);
    if (result.verdict === "unavailable" && result.reason === "error") cluster?.onDoubt();
    if (result.verdict !== "unavailable" || isRedirected(result)) health.answered();
    else health.failed(result, nowMs < pending.deadlineMs);
    pending.settle(result);
    return undefined;
  }

  /** The node is there and quick; it only is not whom to ask. */
  function isRedirected(result: CheckResult): boolean {
    return cluster !== undefined && redirectOf(result) !== undefined;
  }

  function doubt(elsewhere: readonly Lease[]): readonly Lease[] {
    if (elsewhere.length > 0) cluster?.onDoubt();
    return elsewhere;
  }

  function timedOut(pending: Pending): void {
    pending.isSettled = true;
    const result = failure("timeout", `Redis did not answer within ${deadlineMs} ms`);
    health.failed(result, false);
    pending.settle(result);
  }

  /** Redis's clock, before its first answer this machine's as it was at the start: neither is ever set back here. */
  function clockUs(): number {
    const nowMs = clock.monotonicMs();
    return redisTime.at(nowMs) ?? Math.round((nowMs + offsetMs) * 1000);
  }

  function decideLocally(rules: readonly LimiterRule[], leaseId?: string): LimiterDecision {
    counters.localDecisions += 1;
    localDecisions += 1;
    health.decidedLocally();
    return fallback.decide(rules, leaseId);
  }

  return {
    name,
    decide: (rules, leaseId) =>
      new Promise((resolve, reject) => {
        if (health.isOpen || isClosed) {
          resolve(decideLocally(rules, leaseId));
          return;
        }
        send(leaseId === undefined ? { rules } : { rules, leaseId }, "usual", (result) => {
          try {
            if (result.verdict === "unavailable") resolve(decideLocally(rules, leaseId));
            else resolve({ ...result, unchecked: ALL_CHECKED });
          } catch (thrown) {
            reject(thrown);
          }
        }).catch(reject);
      }),
    ask: (request, way) => {
      if (health.isOpen || isClosed) return Promise.resolve(failure("disconnected", GIVEN_UP));
      return new Promise((resolve, reject) => {
        send(request, way, resolve).catch(reject);
      });
    },
    decideLocally,
    refundLocally: (rules) => fallback.refund(rules),
    leases: {
      hold: (lease) => {
        fallback.hold(lease);
        return () => fallback.release(lease);
      },
      release: (ended) => {
        for (const lease of ended) fallback.release(lease);
        return leases.release(ended).then(doubt);
      },
      renew: (all) => leases.renew(all).then(doubt),
    },
    status: () => ({
      name,
      ...health.mode(),
      breaker: health.isOpen ? "open" : "closed",
      localDecisions,
    }),
    nowUs: () => redisTime.at(clock.monotonicMs()),
    close() {
      isClosed = true;
      health.close();
      for (const pending of queue.drain()) {
        pending.isSettled = true;
        pending.settle(failure("disconnected", "the limiter is closing"));
      }
    },
  };
}

/** Always has tokens, so that each probe writes; its key is gone a second later. */
function probeRule(key: string): CheckRule {
  return {
    ruleId: "_probe",
    key,
    slot: 0,
    role: "enforced",
    limit: tokenBucket({ rate: 1_000_000, per: "1s", burst: 1_000_000 }),
    cost: 1,
  };
}
