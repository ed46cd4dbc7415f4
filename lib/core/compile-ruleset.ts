import { isShedder } from "./limit";
import { compileLists } from "./lists";
import { isPreflight } from "./preflight";
import { compileRoutes } from "./route-template";
import { EXEMPT_PREFLIGHT, methodBit } from "./rule-conditions";
import { compileRuleIndex } from "./rule-index";
import { compileRule, type RuleMatcher } from "./rule-matcher";
import type { Body, RuleEntry } from "./ruleset";
import type { CompiledRule, MatchedRule, RequestFacts, RulesetIndex } from "./ruleset-index";
import { compileShedders } from "./shedder-index";

/**
 * A version's body, ready to match. Rules that are off are left out. What has the same id, revision and slot
 * as in `previous` is taken over from it, unless the epoch changed: a restored database may number anew.
 */
export function compileRuleset(
  body: Body,
  { epoch, version, hash }: { epoch: number; version: number; hash: string },
  previous?: RulesetIndex,
): RulesetIndex {
  const { settings } = body;
  const caseInsensitive = settings.caseInsensitivePaths;
  const known = previous?.id.epoch === epoch ? matchersOf.get(previous) : undefined;
  const matchers = new Map<string, RuleMatcher>();
  for (const entry of [...body.rules].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const compiled = compiledRule(entry);
    if (compiled === null) continue;
    const old = known?.get(entry.id);
    const isSame = old?.caseInsensitive === caseInsensitive && isSameRevision(old, compiled);
    matchers.set(entry.id, isSame ? old : compileRule(compiled, caseInsensitive));
  }
  const all = [...matchers.values()];
  const find = compileRuleIndex(all.filter(({ compiled }) => !isShedder(compiled.rule.limit)));
  const plans = new Set(body.plans.map((plan) => plan.id));
  const methodOf = (facts: RequestFacts) =>
    settings.exemptPreflight && isPreflight(facts) ? EXEMPT_PREFLIGHT : methodBit(facts.method);
  const index: RulesetIndex = {
    id: { epoch, version },
    hash,
    settings,
    plans,
    lists: compileLists(body.lists),
    rules: all.map((matcher) => matcher.compiled),
    routeOf: compileRoutes(body.routes, { caseInsensitive }),
    shedders: compileShedders(all, methodOf),
    match(facts) {
      const matched: MatchedRule[] = [];
      for (const { item } of find(facts, methodOf(facts))) {
        const bucket = item.bucket(facts, plans);
        if (bucket !== null) matched.push(bucket);
      }
      return matched;
    },
  };
  matchersOf.set(index, matchers);
  return index;
}

/** The matchers of an index, for the next version to take over. */
const matchersOf = new WeakMap<RulesetIndex, ReadonlyMap<string, RuleMatcher>>();

function compiledRule({ id, live }: RuleEntry): CompiledRule | null {
  if (live === undefined) return null;
  const { revision, slot, rule } = live;
  const { mode } = rule;
  return mode === "off" ? null : { id, revision, slot, mode, lane: "live", rule };
}

function isSameRevision(old: RuleMatcher, { revision, slot }: CompiledRule): boolean {
  return old.compiled.revision === revision && old.compiled.slot === slot;
}
