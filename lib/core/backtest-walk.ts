import type { Demand } from "./backtest-demand";
import type { BucketState } from "./bucket";
import { type BucketLimit, bringToNow, resetState } from "./bucket-limit";
import type { Window } from "./calendar-period";

/** Null: not limited. */
export type LimitOfPlan = (plan: string) => BucketLimit | null;

/** Some requests of a bucket at one instant, and the bucket's state as of then. */
export type Step = {
  bucket: number;
  state: BucketState;
  limit: BucketLimit;
  nowUs: number;
  requests: number;
  /** Of each request, in tokens. */
  cost: number;
};

/** A tick is judged in so many steps at most. */
const STEPS_MAX = 64;
const STEPS_MIN = 4;

/**
 * Passes once over what was asked, bucket by bucket, each brought forward by the gateways' own arithmetic: a tick's
 * requests come evenly over the tick. `visit` may change the state; its step is one object, good until it returns.
 */
export function walkDemand(
  { plans, starts, tick, requests, tokens, startMs, tickMs }: Demand,
  limitOf: LimitOfPlan,
  visit: (step: Step) => void,
): void {
  const limits = limitsOf(plans, limitOf);
  const tickUs = tickMs * 1000;
  const startUs = startMs * 1000;
  const state: BucketState = { level: 0, timeUs: 0, previous: 0, leases: null };
  let step: Step | null = null;
  for (const [bucket, limit] of limits.entries()) {
    if (limit === null) continue;
    const stepsMax = stepsOf(limit, tickUs);
    const end = starts[bucket + 1] ?? 0;
    step ??= { bucket, state, limit, nowUs: 0, requests: 0, cost: 0 };
    step.bucket = bucket;
    step.limit = limit;
    for (let i = starts[bucket] ?? 0, isFirst = true; i < end; i += 1) {
      const all = requests[i] ?? 0;
      const fromUs = startUs + (tick[i] ?? 0) * tickUs;
      const steps = Math.min(all, stepsMax);
      let left = all;
      step.cost = (tokens[i] ?? 0) / all;
      for (let n = 0; n < steps; n += 1) {
        const nowUs = Math.round(fromUs + ((n + 0.5) / steps) * tickUs);
        if (isFirst) resetState(state, limit, nowUs);
        else bringToNow(state, limit, nowUs);
        isFirst = false;
        step.nowUs = nowUs;
        step.requests = Math.round(left / (steps - n));
        left -= step.requests;
        visit(step);
      }
    }
  }
}

/** So many that no more comes in within one than half of what can be saved up. */
function stepsOf(limit: BucketLimit, tickUs: number): number {
  if (limit.algorithm !== "token-bucket") return STEPS_MIN;
  const refilled = (limit.gain / limit.periodUs) * tickUs;
  return Math.min(STEPS_MAX, Math.max(STEPS_MIN, Math.ceil((2 * refilled) / limit.capacity)));
}

function limitsOf(plans: readonly string[], limitOf: LimitOfPlan): (BucketLimit | null)[] {
  const known = new Map<string, BucketLimit | null>();
  return plans.map((plan) => {
    let limit = known.get(plan);
    if (limit === undefined) {
      limit = remembering(limitOf(plan));
      known.set(plan, limit);
    }
    return limit;
  });
}

/** Every bucket begins anew in time, and calendars are slow: their windows are kept. */
function remembering(limit: BucketLimit | null): BucketLimit | null {
  if (limit?.algorithm !== "fixed-window") return limit;
  const windows: Window[] = [];
  return {
    ...limit,
    windowAt(nowUs) {
      let low = 0;
      for (let high = windows.length; low < high; ) {
        const middle = (low + high) >> 1;
        if ((windows[middle]?.endUs ?? 0) <= nowUs) low = middle + 1;
        else high = middle;
      }
      const found = windows[low];
      if (found !== undefined && found.startUs <= nowUs) return found;
      const made = limit.windowAt(nowUs);
      windows.splice(low, 0, made);
      return made;
    },
  };
}
