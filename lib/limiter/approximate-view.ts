import type { BucketState } from "@/lib/core/bucket";
import {
  type BucketLimit,
  forceCost,
  presentState,
  refundCost,
  takeCost,
} from "@/lib/core/bucket-limit";
import { MICRO } from "@/lib/core/micro";
import type { LimiterRule } from "./state-key";

/** Between two syncs of a bucket, and at least so often in a window. */
const SYNC_MS = 1_000;
const SYNCS_A_WINDOW = 10;
const SYNC_MIN_MS = 100;
/** A sync comes up to so much earlier or later, lest a fleet's come together. */
const JITTER = 0.2;
/** The last sync of a window is before its end by this and up to twice as much. */
const BEFORE_END_MS = 20;
/** What a bucket could not be told for as long as it takes to fill, and at least so long, has come in again. */
const KEPT_MIN_US = 2_000_000;

/** One bucket as this gateway counts it, ahead of Redis. Times are monotonic ms, but for those of the state. */
export type View = {
  /** As a sync sends it. */
  rule: LimiterRule;
  limit: BucketLimit;
  /** As Redis last told it, and what was counted since. */
  state: BucketState;
  /** Tokens counted and not told yet, in the window that began at `windowUs`: of a bucket, when Redis last told it. */
  pending: number;
  /** Tokens on their way to Redis. */
  inFlight: number;
  windowUs: number;
  isSyncing: boolean;
  /** The last sync failed: until the next answer of Redis the rule is asked like an exact one. */
  isLost: boolean;
  /** Since the last sync. */
  isUsed: boolean;
  dueMs: number;
};

/** Brings a view to now. What was counted in a window that is over is discarded; returns how much. */
export function turn(view: View, nowUs: number): number {
  view.state = presentState(view.state, view.limit, nowUs);
  if (isSameWindow(view, nowUs)) return 0;
  const discarded = view.pending;
  view.windowUs = windowOf(view.state, view.limit, nowUs);
  view.pending = 0;
  return discarded;
}

function isSameWindow({ state, limit, windowUs }: View, nowUs: number): boolean {
  if (limit.algorithm !== "token-bucket") return state.timeUs === windowUs;
  const fillUs = Math.ceil(limit.capacity / limit.gain) * limit.periodUs;
  return nowUs - windowUs <= Math.max(KEPT_MIN_US, fillUs);
}

/** Counts in a view as of now. */
export function count(view: View, cost: number): void {
  view.state = takeCost(view.state, view.limit, cost);
  view.pending += cost;
}

/** Takes back what was counted at `takenUs`; what Redis heard already stays. */
export function uncount(view: View, cost: number, takenUs: number): void {
  view.state = refundCost(view.state, view.limit, cost, takenUs);
  view.pending = Math.max(0, view.pending - cost);
}

/** Replaces the state of a view as of now by what Redis told, less what it has not heard of. */
export function replace(view: View, told: BucketState, nowUs: number): void {
  const state = presentState(told, view.limit, nowUs);
  view.state = forceCost(state, view.limit, view.pending + view.inFlight);
  view.windowUs = windowOf(state, view.limit, nowUs);
  view.isLost = false;
}

export function windowOf(state: BucketState, limit: BucketLimit, nowUs: number): number {
  return limit.algorithm === "token-bucket" ? nowUs : state.timeUs;
}

/** When to sync next. */
export function nextSyncMs(
  { limit }: Pick<View, "limit">,
  { nowMs, nowUs, random }: { nowMs: number; nowUs: number; random: () => number },
): number {
  const window = windowMs(limit, nowUs);
  const usual = Math.min(SYNC_MS, Math.max(SYNC_MIN_MS, window.lengthMs / SYNCS_A_WINDOW));
  const inMs = usual * (1 + JITTER * (2 * random() - 1));
  const lastMs = window.leftMs - BEFORE_END_MS * (1 + random());
  return nowMs + (lastMs > 0 && lastMs < inMs ? lastMs : inMs);
}

function windowMs(limit: BucketLimit, nowUs: number): { lengthMs: number; leftMs: number } {
  const none = { lengthMs: Number.POSITIVE_INFINITY, leftMs: Number.POSITIVE_INFINITY };
  switch (limit.algorithm) {
    case "token-bucket": {
      const fillMs = (limit.burst / limit.gain) * limit.periodUs * (MICRO / 1000);
      return { ...none, lengthMs: fillMs };
    }
    case "sliding-window":
      return {
        lengthMs: limit.periodUs / 1000,
        leftMs: (limit.periodUs - (nowUs % limit.periodUs)) / 1000,
      };
    case "fixed-window": {
      const { startUs, endUs } = limit.windowAt(nowUs);
      return { lengthMs: (endUs - startUs) / 1000, leftMs: (endUs - nowUs) / 1000 };
    }
    case "concurrency":
      return none;
  }
}
