import type { BucketState } from "./bucket";
import { durationSeconds } from "./duration";
import { MICRO } from "./micro";

/**
 * At most `quota` in any `perSeconds`, estimated from two counters (Cloudflare, "How we built rate limiting capable
 * of scaling to millions of domains"): used = previous * (share of the window before that still counts) + current.
 * Windows begin at multiples of their length since 1970, by the store's clock.
 */
export type SlidingWindow = {
  algorithm: "sliding-window";
  /** 1..4e9. */
  quota: number;
  perSeconds: number;
  periodUs: number;
};

export function slidingWindow({ rate, per }: { rate: number; per: string }): SlidingWindow {
  const perSeconds = durationSeconds(per) ?? 1;
  return { algorithm: "sliding-window", quota: rate, perSeconds, periodUs: perSeconds * MICRO };
}

export function emptySliding(window: SlidingWindow, nowUs: number): BucketState {
  return { level: 0, timeUs: windowStartUs(window, nowUs), previous: 0, leases: null };
}

/** The two counters as of now. What a window after this one holds (a clock set back, a longer window) counts in this one. */
export function slide(state: BucketState, window: SlidingWindow, nowUs: number): BucketState {
  if (state.timeUs === windowStartUs(window, nowUs)) return state;
  const copy = { ...state };
  slideInPlace(copy, window, nowUs);
  return copy;
}

/** As `slide`, in the state itself. */
export function slideInPlace(state: BucketState, window: SlidingWindow, nowUs: number): void {
  const startUs = windowStartUs(window, nowUs);
  if (state.timeUs === startUs) return;
  if (state.timeUs > startUs) {
    state.level += state.previous;
    state.previous = 0;
  } else {
    state.previous = state.timeUs >= startUs - window.periodUs ? state.level : 0;
    state.level = 0;
  }
  state.timeUs = startUs;
  state.leases = null;
}

/** The estimate, not rounded. The same operations in the same order as lua/check.lua. */
export function usedOf(state: BucketState, window: SlidingWindow, nowUs: number): number {
  const { level, timeUs, previous } = state;
  return previous * ((timeUs + window.periodUs - nowUs) / window.periodUs) + level;
}

/** µs from now until `cost` fits if nothing else comes; 0 if it does, Infinity if it never can. */
export function slidingWaitUs(
  state: BucketState,
  window: SlidingWindow,
  nowUs: number,
  cost: number,
): number {
  const { quota, periodUs } = window;
  if (usedOf(state, window, nowUs) + cost <= quota) return 0;
  if (cost > quota) return Number.POSITIVE_INFINITY;
  const endUs = state.timeUs + periodUs;
  const room = quota - cost - state.level;
  const counts = room >= 0 ? state.previous : state.level;
  const fits = room >= 0 ? room : quota - cost;
  const lastUs = room >= 0 ? endUs : endUs + periodUs;
  // The instant at which `counts` weighs no more than `fits`; doubles are a few µs off at worst.
  let atUs = Math.max(nowUs + 1, Math.ceil(lastUs - (fits * periodUs) / counts));
  while (atUs < lastUs && usedOf(slide(state, window, atUs), window, atUs) + cost > quota)
    atUs += 1;
  return atUs - nowUs;
}

/** The instant (µs) from which neither counter weighs anything. */
export function slidingFullAtUs(state: BucketState, window: SlidingWindow): number {
  return state.timeUs + (state.level > 0 ? 2 : 1) * window.periodUs;
}

/** Start of the window of an instant, µs. */
export function windowStartUs({ periodUs }: SlidingWindow, nowUs: number): number {
  return nowUs - (nowUs % periodUs);
}
