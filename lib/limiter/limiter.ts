import type { Redis } from "ioredis";
import type { Clock } from "@/lib/clock";
import type { Log } from "@/lib/log";
import { createInFlightChecks } from "./check-in-flight";
import { createCluster } from "./cluster";
import type { ClusterLink } from "./cluster-link";
import { createCounters, type LimiterCounters } from "./counters";
import { createGroupDecider } from "./decide-groups";
import { ALL_CHECKED, type LimiterDecision } from "./fallback";
import { groupRules } from "./groups";
import { createMemoryCounters, type MemoryCounters } from "./memory-counters";
import { askPlace } from "./places";
import { createPrecision } from "./precision";
import { createRefunds } from "./refunds";
import { createRing, type RingNode } from "./ring";
import type { Router } from "./router";
import { createShard, type Shard, type ShardOptions, type ShardStatus } from "./shard";
import { countsInFlight, type LimiterRule } from "./state-key";

const CHECK_DEADLINE_MS = 10;
/** Below, a lease saves nothing worth its tokens. */
const LEASE_ABOVE_PER_SECOND = 200;
/** Shards that a reason names; the rest is a number. */
const NAMED_MAX = 5;

export type LimiterStatus = {
  /** `local`: of some shard this gateway decides alone, or did within the last half second. */
  mode: "shared" | "local";
  /** Unix ms. */
  sinceMs: number;
  /** Why local, by shard where there are several; null when shared. */
  error: string | null;
  /** Of any shard. */
  breaker: "closed" | "open";
  /** Redis's clock minus this machine's wall clock, where they differ most; null before the first answer. */
  clockOffsetMs: number | null;
  shards: readonly ShardStatus[];
};

/** Where counters live. The clients are from `connectRedis({role: "check"})` and stay the caller's to close. */
export type StateConnection =
  | { kind: "single"; redis: Redis }
  | { kind: "ring"; nodes: readonly RingNode[] }
  | { kind: "cluster"; link: ClusterLink };

export type Limiter = {
  /**
   * Decided by Redis, from memory where Redis has said enough, or within the deadline by this gateway alone; rejects
   * only on a programming error.
   */
  check(rules: readonly LimiterRule[]): Promise<LimiterDecision>;
  /**
   * After a publish or an override: refuses nothing more from memory by what was known before. With a principal, after a
   * reset: of its buckets neither leases nor counts of this gateway stay.
   */
  forget(principal?: string): void;
  /** Requests in flight that concurrency rules count. */
  readonly inFlight: number;
  status(): LimiterStatus;
  readonly counters: Readonly<LimiterCounters>;
  readonly memory: Readonly<MemoryCounters>;
  /** Tells Redis what was counted ahead of it and not told yet: before `close`, or that is lost. */
  flush(): Promise<void>;
  /** Decides what is pending, locally. Before the Redis clients are closed, or that reads as an outage. */
  close(): void;
};

export type LimiterOptions = {
  state: StateConnection;
  environment: string;
  clock: Clock;
  log: Log;
  /** Gateways live and silent, as last known; local limits are divided by it. */
  fleetSize: () => number;
  deadlineMs?: number;
  /** Checks a second of one bucket here, from which on a leased rule takes leases. */
  leaseAbovePerSecond?: number;
  /** Called at once when the mode or the shards that are local change, before the next local answer is given. */
  onModeChange?: (status: LimiterStatus) => void;
};

export function createLimiter({
  state,
  environment,
  clock,
  log,
  fleetSize,
  deadlineMs = CHECK_DEADLINE_MS,
  leaseAbovePerSecond = LEASE_ABOVE_PER_SECOND,
  onModeChange,
}: LimiterOptions): Limiter {
  const counters = createCounters();
  let sinceMs = clock.nowMs();
  let known: readonly string[] = [];
  let isClosed = false;
  const router = createRouter(state, {
    environment,
    clock,
    fleetSize,
    deadlineMs,
    counters,
    onModeChange: changed,
  });
  const only = state.kind === "single" ? router.memberAt(0) : undefined;
  const isAlwaysOne = state.kind !== "cluster";
  const refunds = createRefunds({
    ask: (place, rules) => askPlace(router, place, { rules }),
    onGiven: (rules) => precision.givenBack(rules),
    counters,
    log,
  });
  const groups = createGroupDecider({ router, refunds, nothingToCheck, log });

  const inFlight = createInFlightChecks({ router, clock, decide });
  const memory = createMemoryCounters();
  const precision = createPrecision({
    ask: (rules) => (rules.some(countsInFlight) ? inFlight.check(rules) : decide(rules)),
    environment,
    clock,
    fleetSize,
    counters: memory,
    leaseAbovePerSecond,
    log,
  });

  function decide(rules: readonly LimiterRule[], leaseId?: string): Promise<LimiterDecision> {
    if (only !== undefined) return only.decide(rules, leaseId);
    const place = onePlaceOf(rules, router);
    if (place === undefined) return groups.all(rules, groupRules(rules, router.placeOf), leaseId);
    return isAlwaysOne
      ? router.memberAt(place).decide(rules, leaseId)
      : groups.one({ place, rules }, leaseId);
  }

  function changed(): void {
    if (isClosed) return;
    const before = known;
    const local = router
      .shards()
      .map((shard) => shard.status())
      .filter(isLocal);
    known = local.map(({ name }) => name);
    const left = local.filter(({ name }) => !before.includes(name));
    const back = before.filter((name) => !known.includes(name));
    if (left.length === 0 && back.length === 0) return;
    if ((before.length === 0) !== (known.length === 0)) sinceMs = clock.nowMs();
    try {
      onModeChange?.(status());
    } catch (thrown) {
      log.error({ error: thrown, local: known }, "a listener to the limiter's mode failed");
    }
    for (const { name, error } of left) {
      const details = { shard: name, reason: error, gateways: fleetSize() };
      log.warn(details, "limits are local: redis does not decide");
    }
    for (const shard of back) {
      const { localDecisions } = counters;
      log.info({ shard, localDecisions }, "limits are shared again");
    }
  }

  function status(): LimiterStatus {
    const shards = router.shards().map((shard) => shard.status());
    const local = shards.filter(isLocal);
    return {
      mode: local.length === 0 ? "shared" : "local",
      sinceMs,
      error: reasonOf(local, only === undefined),
      breaker: shards.some(({ breaker }) => breaker === "open") ? "open" : "closed",
      clockOffsetMs: clockOffsetMs(router.shards()),
      shards,
    };
  }

  function clockOffsetMs(shards: readonly Shard[]): number | null {
    let furthest: number | null = null;
    for (const shard of shards) {
      const redisUs = shard.nowUs();
      if (redisUs === undefined) continue;
      const offsetMs = redisUs / 1000 - clock.nowMs();
      if (furthest === null || Math.abs(offsetMs) > Math.abs(furthest)) furthest = offsetMs;
    }
    return furthest;
  }

  function nothingToCheck(): LimiterDecision {
    const nowUs = only?.nowUs() ?? clock.nowMs() * 1000;
    const source = known.length === 0 ? "redis" : "local";
    const none = { binding: null, perRule: [], unchecked: ALL_CHECKED };
    return { verdict: "allowed", ...none, nowUs, source };
  }

  return {
    check(rules) {
      counters.checks += 1;
      if (rules.length === 0) return Promise.resolve(nothingToCheck());
      return precision.check(rules);
    },
    forget: precision.forget,
    get inFlight() {
      return inFlight.size;
    },
    status,
    counters,
    memory,
    flush: precision.flush,
    close() {
      isClosed = true;
      precision.close();
      inFlight.close();
      router.close();
      refunds.close();
    },
  };
}

function createRouter(state: StateConnection, options: ShardOptions): Router {
  if (state.kind === "cluster") return createCluster(state.link, options);
  if (state.kind === "ring") return createRing(state.nodes, options);
  const shard = createShard({ ...options, name: "redis", redis: state.redis });
  return { placeOf: () => 0, memberAt: () => shard, shards: () => [shard], close: shard.close };
}

/** The place of all rules; undefined when there are several. Mostly they are of one key. */
function onePlaceOf(rules: readonly LimiterRule[], { placeOf }: Router): number | undefined {
  const first = rules[0]?.key ?? "";
  const place = placeOf(first);
  for (const { key } of rules) if (key !== first && placeOf(key) !== place) return undefined;
  return place;
}

function isLocal({ mode }: ShardStatus): boolean {
  return mode === "local";
}

function reasonOf(local: readonly ShardStatus[], isNamed: boolean): string | null {
  if (local.length === 0) return null;
  const why = local
    .slice(0, NAMED_MAX)
    .map(({ name, error }) => (isNamed ? `${name}: ${error}` : error));
  if (local.length > NAMED_MAX) why.push(`and ${local.length - NAMED_MAX} more`);
  return why.join("; ");
}
