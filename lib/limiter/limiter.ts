import type { Redis } from "ioredis";
import type { Clock } from "@/lib/clock";
import { tokenBucket } from "@/lib/core/bucket";
import type { CheckFailure, CheckResult, CheckRule } from "@/lib/core/check";
import type { Log } from "@/lib/log";
import { createBreaker } from "./breaker";
import { createConnectionWatch } from "./connection-watch";
import { createDeadlineQueue } from "./deadline-queue";
import { ALL_CHECKED, createFallback, type LimiterDecision } from "./fallback";
import { createRedisStore } from "./redis-store";
import { createRedisTime } from "./redis-time";
import { type LimiterRule, stateKey } from "./state-key";

const CHECK_DEADLINE_MS = 10;
/** Without traffic, Redis is asked this often, so that an outage shows before a request meets it. */
const IDLE_MS = 1_000;
/** No local decision for this long, and Redis answering: shared again, and the local counts are forgotten. */
const QUIET_MS = 500;
/** Or Redis used for this long with few late answers: under much traffic there is always one. */
const CALM_MS = 5_000;
/** After a late answer, and while Redis is in doubt. Five in a row open the breaker well within a second. */
const SUSPECT_MS = 100;

export type LimiterStatus = {
  /** `local`: the breaker is open, or was within the last half second: this gateway decides alone. */
  mode: "shared" | "local";
  /** Unix ms. */
  sinceMs: number;
  /** Why local; null when shared. */
  error: string | null;
  breaker: "closed" | "open";
  /** Redis's clock minus this machine's wall clock; null before the first answer. */
  clockOffsetMs: number | null;
};

/** Since the start, only ever rising. */
export type LimiterCounters = {
  checks: number;
  localDecisions: number;
  timeouts: number;
  /** Reached Redis after their expiry and were not charged; some were asked once more. */
  expired: number;
  /** Answered after their deadline; the answer came too late to count. */
  late: number;
  errors: number;
  disconnected: number;
  breakerOpens: number;
  connectionResets: number;
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

type Pending = {
  rules: readonly CheckRule[];
  /** Asked again after an answer that it had expired. */
  isSecond: boolean;
  sentMs: number;
  deadlineMs: number;
  isSettled: boolean;
  settle(result: CheckResult): void;
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
  const store = createRedisStore({ redis });
  const fallback = createFallback({ clock, fleetSize });
  const redisTime = createRedisTime();
  const breaker = createBreaker();
  const watch = createConnectionWatch(redis, clock);
  const queue = createDeadlineQueue<Pending>({ clock, onOverdue: timedOut });
  const probeRules: readonly CheckRule[] = [probeRule(environment)];
  const counters: LimiterCounters = {
    checks: 0,
    localDecisions: 0,
    timeouts: 0,
    expired: 0,
    late: 0,
    errors: 0,
    disconnected: 0,
    breakerOpens: 0,
    connectionResets: 0,
  };

  let mode: LimiterStatus["mode"] = "shared";
  let sinceMs = clock.nowMs();
  let error: string | null = null;
  let lastLocalMs = Number.NEGATIVE_INFINITY;
  let lastAnswerMs = Number.NEGATIVE_INFINITY;
  /** When Redis was last taken into use again. */
  let closedMs = Number.NEGATIVE_INFINITY;
  /** Buckets of local decisions are held, to be forgotten once Redis has decided alone for a while. */
  let isTainted = false;
  let isProbing = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let dueMs = 0;

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
    if (isSecond || isClosed || breaker.isOpen || redis.status !== "ready") return false;
    return result.verdict === "unavailable" && result.reason === "expired";
  }

  /** The deadline runs from here: what a check waits for its turn in a busy process is no fault of Redis. */
  function goesOut(pending: Pending): number | undefined {
    pending.sentMs = clock.monotonicMs();
    pending.deadlineMs = pending.sentMs + deadlineMs;
    watch.sent();
    queue.push(pending);
    return redisTime.at(pending.deadlineMs);
  }

  function answered(pending: Pending, result: CheckResult): Promise<void> | undefined {
    const nowMs = clock.monotonicMs();
    watch.answered();
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
    if (result.verdict === "unavailable") {
      noteFailure(result, nowMs < pending.deadlineMs);
    } else {
      lastAnswerMs = nowMs;
      breaker.succeeded();
    }
    pending.settle(result);
    return undefined;
  }

  function timedOut(pending: Pending): void {
    pending.isSettled = true;
    const message = `Redis did not answer within ${deadlineMs} ms`;
    const failure: CheckFailure = { verdict: "unavailable", reason: "timeout", message };
    noteFailure(failure, false);
    pending.settle(failure);
  }

  /** Expired before its deadline: Redis is there and quick, only the idea of its clock was wrong. */
  function noteFailure({ reason, message }: CheckFailure, isInTime: boolean): void {
    if (reason === "timeout") counters.timeouts += 1;
    if (reason === "error") counters.errors += 1;
    if (reason === "disconnected") {
      counters.disconnected += 1;
      open(message);
    } else if (!(reason === "expired" && isInTime)) {
      if (breaker.failed()) opened(message);
      // A late answer asks for a second opinion soon, so that an outage shows with little traffic, too.
      else if (!breaker.isOpen && dueMs > clock.monotonicMs() + SUSPECT_MS) schedule(SUSPECT_MS);
    }
  }

  function open(message: string): void {
    if (breaker.open()) opened(message);
  }

  function opened(message: string): void {
    counters.breakerOpens += 1;
    enterLocal(message);
  }

  function decideLocally(rules: readonly LimiterRule[]): LimiterDecision {
    counters.localDecisions += 1;
    lastLocalMs = clock.monotonicMs();
    isTainted = true;
    return fallback.decide(rules);
  }

  function enterLocal(message: string): void {
    if (mode === "local" || isClosed) return;
    setMode("local", message);
    log.warn({ reason: message, gateways: fleetSize() }, "limits are local: redis does not decide");
    schedule(breaker.nextProbeMs());
  }

  /** Local counts are not replayed; a single late answer leaves some, too, without a change of mode. */
  function forgetLocal(): void {
    if (isTainted) fallback.forgetAll();
    isTainted = false;
    if (mode === "shared") return;
    setMode("shared", null);
    log.info({ localDecisions: counters.localDecisions }, "limits are shared again");
  }

  function setMode(next: LimiterStatus["mode"], message: string | null): void {
    mode = next;
    sinceMs = clock.nowMs();
    error = message;
    try {
      onModeChange?.(status());
    } catch (thrown) {
      log.error({ error: thrown, mode }, "a listener to the limiter's mode failed");
    }
  }

  function schedule(inMs: number): void {
    clearTimeout(timer);
    if (isClosed) return;
    dueMs = clock.monotonicMs() + inMs;
    timer = setTimeout(tick, inMs);
    timer.unref();
  }

  function tick(): void {
    if (watch.resetIfStuck()) counters.connectionResets += 1;
    const isIdle = clock.monotonicMs() - lastAnswerMs >= IDLE_MS;
    if (redis.status !== "ready") {
      open(`Redis is not connected (${redis.status})`);
      schedule(breaker.nextProbeMs());
    } else if (mode === "shared" && !isTainted && !breaker.isSuspect && !isIdle) {
      schedule(IDLE_MS);
    } else {
      probe();
    }
  }

  /** A check like any other, of a bucket of its own: it shows that reading, writing and the script work. */
  function probe(): void {
    if (isProbing || isClosed) return;
    isProbing = true;
    void ask(probeRules, (result) => {
      isProbing = false;
      if (result.verdict === "unavailable") {
        error = mode === "local" ? result.message : error;
        schedule(breaker.isOpen ? breaker.nextProbeMs() : SUSPECT_MS);
        return;
      }
      const nowMs = clock.monotonicMs();
      if (breaker.isOpen) {
        breaker.close();
        closedMs = nowMs;
      }
      const isCalm = mode === "local" && !breaker.isSuspect && nowMs - closedMs >= CALM_MS;
      if (isCalm || nowMs - lastLocalMs >= QUIET_MS) forgetLocal();
      schedule(isTainted || mode === "local" ? QUIET_MS : IDLE_MS);
    });
  }

  const onReady = () => {
    clearTimeout(timer);
    probe();
  };
  const onLost = () => open("the connection to Redis closed");
  redis.on("ready", onReady);
  redis.on("close", onLost);
  if (redis.status === "ready") probe();
  else schedule(IDLE_MS);

  function status(): LimiterStatus {
    const redisUs = redisTime.at(clock.monotonicMs());
    const clockOffsetMs = redisUs === undefined ? null : redisUs / 1000 - clock.nowMs();
    return { mode, sinceMs, error, breaker: breaker.isOpen ? "open" : "closed", clockOffsetMs };
  }

  function nothingToCheck(): LimiterDecision {
    const nowUs = redisTime.at(clock.monotonicMs()) ?? clock.nowMs() * 1000;
    const source = mode === "shared" ? "redis" : "local";
    const none = { binding: null, perRule: [], unchecked: ALL_CHECKED };
    return { verdict: "allowed", ...none, nowUs, source };
  }

  return {
    check(rules) {
      counters.checks += 1;
      return new Promise((resolve, reject) => {
        if (rules.length === 0) {
          resolve(nothingToCheck());
        } else if (breaker.isOpen || isClosed) {
          resolve(decideLocally(rules));
        } else {
          ask(rules, (result) => {
            try {
              if (result.verdict === "unavailable") resolve(decideLocally(rules));
              else resolve({ ...result, unchecked: ALL_CHECKED });
            } catch (thrown) {
              reject(thrown);
            }
          }).catch(reject);
        }
      });
    },
    status,
    counters,
    close() {
      isClosed = true;
      clearTimeout(timer);
      watch.close();
      redis.off("ready", onReady);
      redis.off("close", onLost);
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
