import type { BucketState } from "./bucket";
import {
  type BucketLimit,
  bringToNow,
  holdsCost,
  isUntouched,
  resetState,
  takeInPlace,
} from "./bucket-limit";
import type { CheckRule } from "./check";
import { fullAtSeconds, isCurrent, isWorldOpen } from "./decide";

/** A bucket's state as it was when it was last charged, and until when it counts (see `StateRecord`). */
export type HeldBucket = { state: BucketState; fullAt: number };

/** A rule of a check that says where its bucket is; of the kinds that come in with time. */
export type HeldRule = {
  check: Pick<CheckRule, "ruleId" | "role">;
  limit: BucketLimit;
  cost: number;
  bucket: HeldBucket;
};

export function untouchedBucket(): HeldBucket {
  return { state: { level: 0, timeUs: 0, previous: 0, leases: null }, fullAt: 0 };
}

/**
 * `decide` for millions of checks in a row: the same arithmetic and worlds, in buckets that stay where they are. It
 * says only who passed: `passes[i]` of each rule, and whether the request does.
 */
export function createCheckInPlace() {
  const states: BucketState[] = [];
  const passes: boolean[] = [];

  function presentOf({ bucket, limit }: HeldRule, index: number, nowUs: number): BucketState {
    let state = states[index];
    if (state === undefined) {
      state = { level: 0, timeUs: 0, previous: 0, leases: null };
      states[index] = state;
    }
    if (!isCurrent(bucket, nowUs)) {
      resetState(state, limit, nowUs);
      return state;
    }
    copyState(bucket.state, state);
    bringToNow(state, limit, nowUs);
    return state;
  }

  return {
    passes,
    isAllowed(rules: readonly HeldRule[], nowUs: number): boolean {
      let refusals = 0;
      let refusing = "";
      for (let i = 0; i < rules.length; i += 1) {
        const rule = rules[i];
        if (rule === undefined) continue;
        const state = presentOf(rule, i, nowUs);
        const passed = holdsCost(state, rule.limit, nowUs, rule.cost);
        passes[i] = passed;
        if (passed || rule.check.role !== "enforced") continue;
        refusals += 1;
        refusing = rule.check.ruleId;
      }
      for (let i = 0; i < rules.length; i += 1) {
        const rule = rules[i];
        const state = states[i];
        if (rule === undefined || state === undefined || passes[i] !== true) continue;
        if (!isWorldOpen(rule.check, refusals, refusing)) continue;
        takeInPlace(state, rule.limit, rule.cost);
        copyState(state, rule.bucket.state);
        rule.bucket.fullAt = isUntouched(state, rule.limit) ? 0 : fullAtSeconds(state, rule.limit);
      }
      return refusals === 0;
    },
  };
}

function copyState(from: BucketState, to: BucketState): void {
  to.level = from.level;
  to.timeUs = from.timeUs;
  to.previous = from.previous;
}
