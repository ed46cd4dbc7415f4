import { compileCountBy, isOwnedByClient } from "./count-by";
import { bucketOf, compileLimit } from "./plan-limits";
import { defaultCost } from "./rule";
import { type Conditions, compileConditions } from "./rule-conditions";
import { type RuleKey, ruleKeys } from "./rule-keys";
import type { CompiledRule, MatchedRule, RequestFacts } from "./ruleset-index";

/** A rule's conditions, buckets and amounts, worked out once per revision. */
export type RuleMatcher = {
  compiled: CompiledRule;
  caseInsensitive: boolean;
  conditions: Conditions;
  /** What its conditions offer to find it by. */
  keys: readonly RuleKey[];
  /** The bucket it means for this request; null when it lacks what the rule counts by, or is not limited. */
  bucket(facts: RequestFacts, plans: ReadonlySet<string>): MatchedRule | null;
};

export function compileRule(compiled: CompiledRule, caseInsensitive: boolean): RuleMatcher {
  const { rule } = compiled;
  const cost = defaultCost(rule.cost);
  const conditions = compileConditions(rule.match, caseInsensitive);
  const countKey = compileCountBy(rule.countBy);
  const limitOf = compileLimit(rule.limit);
  const canOverride = isOwnedByClient(rule.countBy);
  return {
    compiled,
    caseInsensitive,
    conditions,
    keys: ruleKeys(conditions),
    bucket(facts, plans) {
      const { plan } = facts.identity;
      const override = canOverride ? facts.override(rule.id) : null;
      const limit = override === null ? limitOf(plan, plans.has(plan)) : bucketOf(override);
      if (limit === null) return null;
      const key = countKey(facts);
      if (key === null) return null;
      return { compiled, principal: key.principal, rest: key.rest, limit, cost };
    },
  };
}
