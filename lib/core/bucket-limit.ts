import {
  type BucketState,
  fullAtUs,
  fullBucket,
  giveBack,
  refill,
  refillInPlace,
  shareOfBucket,
  type TokenBucket,
  waitUs,
} from "./bucket";
import { type FixedWindow, presentUse, presentUseInPlace } from "./fixed-window";
import { MICRO } from "./micro";
import {
  emptySliding,
  type SlidingWindow,
  slide,
  slideInPlace,
  slidingFullAtUs,
  slidingWaitUs,
  usedOf,
  windowStartUs,
} from "./sliding-window";

/** So many requests at the same time. Each holds a lease, which ends by itself `leaseSeconds` after it was last renewed. */
export type Concurrency = { algorithm: "concurrency"; quota: number; leaseSeconds: number };

/** What a check holds a bucket to. */
export type BucketLimit = TokenBucket | SlidingWindow | FixedWindow | Concurrency;

/** Nobody knows when a request in flight ends; a client may try again after this long. */
const IN_FLIGHT_WAIT_US = MICRO;

/** A stored state, or none, as of now. */
export function presentState(
  stored: BucketState | undefined,
  limit: BucketLimit,
  nowUs: number,
): BucketState {
  switch (limit.algorithm) {
    case "token-bucket":
      return stored === undefined ? fullBucket(limit, nowUs) : refill(stored, limit, nowUs);
    case "sliding-window":
      return stored === undefined ? emptySliding(limit, nowUs) : slide(stored, limit, nowUs);
    case "fixed-window":
      return presentUse(stored, limit, nowUs);
    case "concurrency":
      return stored ?? { level: 0, timeUs: nowUs, previous: 0, leases: null };
  }
}

/** As `presentState` of one that is stored, in the state itself: for millions of checks in a row. */
export function bringToNow(state: BucketState, limit: BucketLimit, nowUs: number): void {
  switch (limit.algorithm) {
    case "token-bucket":
      refillInPlace(state, limit, nowUs);
      return;
    case "sliding-window":
      slideInPlace(state, limit, nowUs);
      return;
    case "fixed-window":
      presentUseInPlace(state, limit, nowUs);
      return;
    case "concurrency":
      return;
  }
}

/** Makes a state what `presentState` says of a bucket that nothing is kept of. */
export function resetState(state: BucketState, limit: BucketLimit, nowUs: number): void {
  state.level = limit.algorithm === "token-bucket" ? limit.capacity : 0;
  state.timeUs = startOf(limit, nowUs);
  state.previous = 0;
  state.leases = null;
}

function startOf(limit: BucketLimit, nowUs: number): number {
  if (limit.algorithm === "sliding-window") return windowStartUs(limit, nowUs);
  return limit.algorithm === "fixed-window" ? limit.windowAt(nowUs).startUs : nowUs;
}

/** Whether a present state has `cost` tokens. */
export function holdsCost(
  state: BucketState,
  limit: BucketLimit,
  nowUs: number,
  cost: number,
): boolean {
  switch (limit.algorithm) {
    case "token-bucket":
      return state.level >= cost * MICRO;
    case "sliding-window":
      return usedOf(state, limit, nowUs) + cost <= limit.quota;
    case "fixed-window":
    case "concurrency":
      return state.level + cost <= limit.quota;
  }
}

/** Takes `cost` tokens from a present state that has them. */
export function takeCost(state: BucketState, limit: BucketLimit, cost: number): BucketState {
  const copy = { ...state };
  takeInPlace(copy, limit, cost);
  return copy;
}

/** As `takeCost`, in the state itself. */
export function takeInPlace(state: BucketState, limit: BucketLimit, cost: number): void {
  state.level += limit.algorithm === "token-bucket" ? -cost * MICRO : cost;
}

/** Takes what is there, at most `cost` tokens: what was let through already counts, but nobody owes anything. */
export function forceCost(state: BucketState, limit: BucketLimit, cost: number): BucketState {
  const level =
    limit.algorithm === "token-bucket"
      ? Math.max(0, state.level - cost * MICRO)
      : Math.max(state.level, Math.min(limit.quota, state.level + cost));
  return { ...state, level };
}

/** Gives `cost` tokens back that were taken at `takenUs`. Of a window that is over there is nothing to give back. */
export function refundCost(
  state: BucketState,
  limit: BucketLimit,
  cost: number,
  takenUs: number,
): BucketState {
  switch (limit.algorithm) {
    case "token-bucket":
      return giveBack(state, limit, cost * MICRO);
    case "sliding-window": {
      const isSame = windowStartUs(limit, takenUs) === state.timeUs;
      return isSame ? { ...state, level: Math.max(0, state.level - cost) } : state;
    }
    case "fixed-window": {
      const isSame = limit.windowAt(takenUs).startUs === state.timeUs;
      return isSame ? { ...state, level: Math.max(0, state.level - cost) } : state;
    }
    case "concurrency":
      return state;
  }
}

/** Whole tokens left, >= 0. */
export function remainingOf(state: BucketState, limit: BucketLimit, nowUs: number): number {
  switch (limit.algorithm) {
    case "token-bucket":
      return Math.floor(state.level / MICRO);
    case "sliding-window":
      return Math.max(0, Math.floor(limit.quota - usedOf(state, limit, nowUs)));
    case "fixed-window":
    case "concurrency":
      return Math.max(0, limit.quota - state.level);
  }
}

/** µs from now until a present state holds `cost` tokens; 0 if it does, Infinity if it never can. */
export function costWaitUs(
  state: BucketState,
  limit: BucketLimit,
  nowUs: number,
  cost: number,
): number {
  switch (limit.algorithm) {
    case "token-bucket":
      return waitUs(state, limit, nowUs, cost * MICRO);
    case "sliding-window":
      return slidingWaitUs(state, limit, nowUs, cost);
    case "fixed-window":
      if (state.level + cost <= limit.quota) return 0;
      return cost > limit.quota ? Number.POSITIVE_INFINITY : limit.windowAt(nowUs).endUs - nowUs;
    case "concurrency":
      return state.level + cost <= limit.quota ? 0 : IN_FLIGHT_WAIT_US;
  }
}

/** Whether there is nothing to keep. */
export function isUntouched(state: BucketState, limit: BucketLimit): boolean {
  if (limit.algorithm === "token-bucket")
    return state.level >= limit.capacity && state.leases === null;
  return state.level === 0 && state.previous === 0;
}

/** The instant (µs) from which a state, left alone, is untouched. */
export function untouchedAtUs(state: BucketState, limit: BucketLimit): number {
  switch (limit.algorithm) {
    case "token-bucket":
      return fullAtUs(state, limit);
    case "sliding-window":
      return slidingFullAtUs(state, limit);
    case "fixed-window":
      return limit.windowAt(state.timeUs).endUs;
    case "concurrency":
      return state.timeUs;
  }
}

/** Tokens that can be had at once: a header's limit. */
export function quotaOf(limit: BucketLimit): number {
  return limit.algorithm === "token-bucket" ? limit.burst : limit.quota;
}

/** Whole seconds in which the quota comes in, rounded up; null where it does not come with time. */
export function windowSeconds(limit: BucketLimit, nowUs: number): number | null {
  switch (limit.algorithm) {
    case "token-bucket":
      // Exact, as burst * perSeconds < 2^52.
      return Math.max(1, Math.ceil((limit.burst * limit.perSeconds) / limit.rate));
    case "sliding-window":
      return limit.perSeconds;
    case "fixed-window": {
      const { startUs, endUs } = limit.windowAt(nowUs);
      return (endUs - startUs) / MICRO;
    }
    case "concurrency":
      return null;
  }
}

/** One gateway's share while Redis is away: 1/`gateways`, at least what one request takes (where the whole has it). */
export function shareOfLimit(limit: BucketLimit, gateways: number, cost = 1): BucketLimit {
  if (limit.algorithm === "token-bucket") return shareOfBucket(limit, gateways, cost);
  if (gateways <= 1) return limit;
  const atLeast = Math.min(cost, limit.quota);
  return { ...limit, quota: Math.max(atLeast, Math.floor(limit.quota / gateways)) };
}
