import type { BucketState } from "./bucket";
import type { BucketCells } from "./bucket-cells";
import {
  type BucketLimit,
  bringToNow,
  holdsCost,
  isUntouched,
  resetState,
  takeInPlace,
} from "./bucket-limit";
import type { CheckRule } from "./check";
import { fullAtSeconds, isWorldOpen } from "./decide";

/** A rule of a check that says where its bucket is; of the kinds that come in with time. */
export type HeldRule = {
  check: Pick<CheckRule, "ruleId" | "role">;
  limit: BucketLimit;
  cost: number;
  /** Its number among the cells. */
  bucket: number;
};

/**
 * `decide` for millions of checks in a row: the same arithmetic and worlds, in buckets that stay where they are. It
 * says only who passed: `passes[i]` of each rule, and whether the request does.
 */
export function createCheckInPlace(cells: BucketCells) {
  const states: BucketState[] = [];
  const passes: boolean[] = [];

  function presentOf({ bucket, limit }: HeldRule, index: number, nowUs: number): BucketState {
    let state = states[index];
    if (state === undefined) {
      state = { level: 0, timeUs: 0, previous: 0, leases: null };
      states[index] = state;
    }
    if (cells.read(bucket, state, nowUs)) bringToNow(state, limit, nowUs);
    else resetState(state, limit, nowUs);
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
        const isFull = isUntouched(state, rule.limit);
        cells.keep(rule.bucket, state, isFull ? 0 : fullAtSeconds(state, rule.limit));
      }
      return refusals === 0;
    },
  };
}
