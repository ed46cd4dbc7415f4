import { isShedder } from "./limit";
import { compileRuleIndex } from "./rule-index";
import type { RuleMatcher } from "./rule-matcher";
import type { CompiledRule, RequestFacts, ShedderIndex, ShedderRule } from "./ruleset-index";

/** The shedders among a version's rules; null when there are none, so that no request pays for them. */
export function compileShedders(
  matchers: readonly RuleMatcher[],
  methodOf: (facts: RequestFacts) => number,
): ShedderIndex | null {
  const shedders = matchers.flatMap(({ compiled, conditions, keys }) => {
    const shedder = shedderOf(compiled);
    return shedder === null ? [] : [{ shedder, conditions, keys }];
  });
  if (shedders.length === 0) return null;
  const find = compileRuleIndex(shedders);
  return {
    rules: shedders.map(({ shedder }) => shedder),
    match: (facts) => find(facts, methodOf(facts)).map(({ item }) => item.shedder),
  };
}

function shedderOf(compiled: CompiledRule): ShedderRule | null {
  const { limit } = compiled.rule;
  return isShedder(limit) ? { compiled, limit } : null;
}
