import type { Redis } from "ioredis";
import type { Clock } from "@/lib/clock";
import type { CheckFailure, CheckResult } from "@/lib/core/check";
import { type Breaker, createBreaker } from "./breaker";
import { type ConnectionWatch, createConnectionWatch } from "./connection-watch";
import type { LimiterCounters } from "./counters";

/** Without traffic, Redis is asked this often, so that an outage shows before a request meets it. */
const IDLE_MS = 1_000;
/** No local decision for this long, and Redis answering: shared again, and the local counts are forgotten. */
const QUIET_MS = 500;
/** Or Redis used for this long with few late answers: under much traffic there is always one. */
const CALM_MS = 5_000;
/** After a late answer, and while Redis is in doubt. Five in a row open the breaker well within a second. */
const SUSPECT_MS = 100;

export type ShardMode = {
  /** `local`: the breaker is open, or was within the last half second: this gateway decides alone. */
  mode: "shared" | "local";
  /** Unix ms. */
  sinceMs: number;
  /** Why local; null when shared. */
  error: string | null;
};

export type ShardHealth = {
  /** Redis is not to be asked. */
  readonly isOpen: boolean;
  readonly watch: Pick<ConnectionWatch, "sent" | "answered">;
  mode(): Readonly<ShardMode>;
  answered(): void;
  failed(failure: CheckFailure, isInTime: boolean): void;
  decidedLocally(): void;
  close(): void;
};

type Options = {
  redis: Redis;
  clock: Clock;
  counters: LimiterCounters;
  /** A check like any other, of a bucket of its own: it shows that reading, writing and the script work. */
  probe(settle: (result: CheckResult) => void): void;
  /** Local counts are not replayed; a single late answer leaves some, too, without a change of mode. */
  forgetLocal(): void;
  onModeChange(): void;
};

/** Whether one Redis is to be asked: its breaker, its connection, probes in the background, and the way back. */
export function createShardHealth(options: Options): ShardHealth {
  const { redis, clock, counters, onModeChange } = options;
  const breaker: Breaker = createBreaker();
  const watch = createConnectionWatch(redis, clock);
  const state: ShardMode = { mode: "shared", sinceMs: clock.nowMs(), error: null };
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

  /** Expired before its deadline: Redis is there and quick, only the idea of its clock was wrong. */
  function failed({ reason, message }: CheckFailure, isInTime: boolean): void {
    if (reason === "timeout") counters.timeouts += 1;
    if (reason === "error") counters.errors += 1;
    if (reason === "error" && message.startsWith("CROSSSLOT")) counters.crossSlot += 1;
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
    if (state.mode === "local" || isClosed) return;
    setMode("local", message);
    schedule(breaker.nextProbeMs());
  }

  function forgetLocal(): void {
    if (isTainted) options.forgetLocal();
    isTainted = false;
    if (state.mode === "local") setMode("shared", null);
  }

  function setMode(mode: ShardMode["mode"], message: string | null): void {
    state.mode = mode;
    state.sinceMs = clock.nowMs();
    state.error = message;
    onModeChange();
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
    } else if (state.mode === "shared" && !isTainted && !breaker.isSuspect && !isIdle) {
      schedule(IDLE_MS);
    } else {
      probe();
    }
  }

  function probe(): void {
    if (isProbing || isClosed) return;
    isProbing = true;
    options.probe((result) => {
      isProbing = false;
      if (result.verdict === "unavailable") {
        if (state.mode === "local") state.error = result.message;
        schedule(breaker.isOpen ? breaker.nextProbeMs() : SUSPECT_MS);
        return;
      }
      const nowMs = clock.monotonicMs();
      if (breaker.isOpen) {
        breaker.close();
        closedMs = nowMs;
      }
      const isCalm = state.mode === "local" && !breaker.isSuspect && nowMs - closedMs >= CALM_MS;
      if (isCalm || nowMs - lastLocalMs >= QUIET_MS) forgetLocal();
      schedule(isTainted || state.mode === "local" ? QUIET_MS : IDLE_MS);
    });
  }

  const onReady = () => {
    clearTimeout(timer);
    probe();
  };
  const onLost = () => open("the connection to Redis closed");
  redis.on("ready", onReady);
  redis.on("close", onLost);
  // Not now: whoever makes this must have it before it probes.
  if (redis.status === "ready") schedule(0);
  else schedule(IDLE_MS);

  return {
    get isOpen() {
      return breaker.isOpen;
    },
    watch,
    mode: () => state,
    answered() {
      lastAnswerMs = clock.monotonicMs();
      breaker.succeeded();
    },
    failed,
    decidedLocally() {
      lastLocalMs = clock.monotonicMs();
      isTainted = true;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      watch.close();
      redis.off("ready", onReady);
      redis.off("close", onLost);
    },
  };
}
