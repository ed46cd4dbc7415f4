import type { BucketState } from "./bucket";
import { type CalendarPeriod, calendarPeriod, type Window, windowAt } from "./calendar-period";

/** `quota` in each window of a calendar. Its bounds are instants, so an hour that a clock shows twice is two windows. */
export type FixedWindow = {
  algorithm: "fixed-window";
  /** 1..4e9. */
  quota: number;
  period: CalendarPeriod;
  timeZone: string;
  /** Bounds in µs, whole seconds: start <= now < end. */
  windowAt(nowUs: number): Window;
};

export function fixedWindow(
  { rate, per }: { rate: number; per: string },
  timeZone: string,
): FixedWindow {
  const period = calendarPeriod(per) ?? { count: 1, unit: "d" };
  // Of the last asked instant: calendars are slow, and time passes.
  let held: Window = { startUs: 0, endUs: 0 };
  return {
    algorithm: "fixed-window",
    quota: rate,
    period,
    timeZone,
    windowAt(nowUs) {
      if (nowUs < held.startUs || nowUs >= held.endUs) held = windowAt(period, timeZone, nowUs);
      return held;
    },
  };
}

/** What is used of the present window. What a later window holds (a clock set back, a shorter one) counts in it. */
export function presentUse(
  state: BucketState | undefined,
  window: FixedWindow,
  nowUs: number,
): BucketState {
  const { level = 0, timeUs = Number.NEGATIVE_INFINITY } = state ?? {};
  const copy = { level, timeUs, previous: 0, leases: null };
  presentUseInPlace(copy, window, nowUs);
  return copy;
}

/** As `presentUse`, in the state itself. */
export function presentUseInPlace(state: BucketState, window: FixedWindow, nowUs: number): void {
  const { startUs } = window.windowAt(nowUs);
  if (state.timeUs < startUs) state.level = 0;
  state.timeUs = startUs;
  state.previous = 0;
  state.leases = null;
}
