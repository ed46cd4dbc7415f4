import type { CheckRule } from "@/lib/core/check";
import type { Rule } from "@/lib/core/rule";
import type { MatchedRule } from "@/lib/core/ruleset-index";
import { bucketKey } from "@/lib/core/state-key";

export { bucketKey, stateKey } from "@/lib/core/state-key";

/** A check's rule, and what to do with it when Redis does not answer. */
export type LimiterRule = CheckRule & {
  failMode: Rule["failMode"];
  /** Absent: exact. */
  precision?: Rule["precision"];
};

export function limiterRule(environment: string, matched: MatchedRule): LimiterRule {
  const { compiled, principal, rest, limit, cost } = matched;
  return {
    ruleId: compiled.id,
    key: bucketKey(environment, {
      principal,
      slot: compiled.slot,
      rest,
      isAlone: limit.algorithm === "concurrency",
    }),
    slot: compiled.slot,
    role: compiled.mode === "enforce" ? "enforced" : "shadow",
    limit,
    cost,
    failMode: compiled.rule.failMode,
    precision: compiled.rule.precision,
  };
}

export function countsInFlight({ limit }: LimiterRule): boolean {
  return limit.algorithm === "concurrency";
}
