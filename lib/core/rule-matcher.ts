import type { BucketLimit } from "./bucket-limit";
import { compileCountBy } from "./count-by";
import type { Limit } from "./limit";
import { type OverrideSubject, overrideSubjects } from "./override-subject";
import { bucketOf, compileLimit } from "./plan-limits";
import { type Cost, costOfHeader } from "./rule";
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
  const costOf = compileCost(rule.cost);
  const conditions = compileConditions(rule.match, caseInsensitive);
  const countKey = compileCountBy(rule.countBy);
  const limitOf = compileLimit(rule.limit);
  const subjects = overrideSubjects(rule.countBy);
  return {
    compiled,
    caseInsensitive,
    conditions,
    keys: ruleKeys(conditions),
    bucket(facts, plans) {
      const { plan } = facts.identity;
      const override = overrideOf(rule, subjects, facts);
      const limit = override === null ? limitOf(plan, plans.has(plan)) : override.limit;
      if (limit === null) return null;
      const key = countKey(facts);
      if (key === null) return null;
      return { compiled, principal: key.principal, rest: key.rest, limit, cost: costOf(facts) };
    },
  };
}

/** Of the strongest that has one; what is of another form than the rule's kind has is passed over. */
function overrideOf(
  { id, limit }: { id: string; limit: Limit },
  subjects: readonly OverrideSubject[],
  facts: RequestFacts,
): { limit: BucketLimit | null } | null {
  for (const subject of subjects) {
    const amount = facts.override(id, subject);
    if (amount === null) continue;
    const decided = amount === "unlimited" ? UNLIMITED : limitedTo(bucketOf(limit, amount));
    if (decided === null) continue;
    facts.overrideUsed?.(id, subject);
    return decided;
  }
  return null;
}

const UNLIMITED = { limit: null };

function limitedTo(bucket: BucketLimit | null): { limit: BucketLimit } | null {
  return bucket === null ? null : { limit: bucket };
}

/** A header's cost is the word of a trusted hop, or nobody's: clients would name 1. */
function compileCost(cost: Cost): (facts: RequestFacts) => number {
  if (typeof cost === "number") return () => cost;
  if ("header" in cost) {
    const { header, default: otherwise } = cost;
    return (facts) =>
      (facts.isPeerTrusted === true ? costOfHeader(facts.header(header)) : null) ?? otherwise;
  }
  const byRoute = new Map(Object.entries(cost.routes));
  return ({ route }) => byRoute.get(route) ?? cost.default;
}
