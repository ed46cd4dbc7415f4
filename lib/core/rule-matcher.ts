import { compileCountBy, isOwnedByClient } from "./count-by";
import { compileRanges } from "./ip-ranges";
import { bucketOf, compileLimit } from "./plan-limits";
import { compileGlobs } from "./route-glob";
import type { Match } from "./rule";
import type { CompiledRule, MatchedRule, RequestFacts } from "./ruleset-index";

/** The parts of the request's path, split at most once however many rules look. */
export type Segments = () => readonly string[];

/** A rule's conditions, buckets and amounts, worked out once per revision. */
export type RuleMatcher = {
  compiled: CompiledRule;
  caseInsensitive: boolean;
  /** Null = every method. HEAD counts under GET. */
  methods: ReadonlySet<string> | null;
  /** Whether every condition but the method holds. */
  fits(facts: RequestFacts, segments: Segments): boolean;
  /** The bucket it means for this request; null when it lacks what the rule counts by, or is not limited. */
  bucket(facts: RequestFacts, plans: ReadonlySet<string>): MatchedRule | null;
};

export function compileRule(compiled: CompiledRule, caseInsensitive: boolean): RuleMatcher {
  const { rule } = compiled;
  const countKey = compileCountBy(rule.countBy);
  const limitOf = compileLimit(rule.limit);
  const canOverride = isOwnedByClient(rule.countBy);
  return {
    compiled,
    caseInsensitive,
    methods: methodsOf(rule.match),
    fits: compileMatch(rule.match, caseInsensitive),
    bucket(facts, plans) {
      const { plan } = facts.identity;
      const override = canOverride ? facts.override(rule.id) : null;
      const limit = override === null ? limitOf(plan, plans.has(plan)) : bucketOf(override);
      if (limit === null) return null;
      const key = countKey(facts);
      if (key === null) return null;
      return { compiled, principal: key.principal, rest: key.rest, limit, cost: rule.cost };
    },
  };
}

function methodsOf(match: Match): ReadonlySet<string> | null {
  if (match.methods === undefined) return null;
  const methods = new Set<string>(match.methods);
  if (methods.has("GET")) methods.add("HEAD");
  return methods;
}

function compileMatch(
  match: Match,
  caseInsensitive: boolean,
): (facts: RequestFacts, segments: Segments) => boolean {
  const plans = match.plans === undefined ? null : new Set<string>(match.plans);
  const authenticated = match.authenticated ?? null;
  const routes = compileGlobs(match.routes, { caseInsensitive });
  const headers = Object.entries(match.headers ?? {}).map(
    ([name, values]) => [name, values.length === 0 ? null : new Set(values)] as const,
  );
  const ips = match.ips === undefined ? null : compileRanges(match.ips);
  return (facts, segments) => {
    const { identity } = facts;
    if (authenticated !== null && identity.authenticated !== authenticated) return false;
    if (plans !== null && !plans.has(identity.plan)) return false;
    if (routes !== null && !routes(facts.path, segments)) return false;
    for (const [name, values] of headers) {
      const value = facts.header(name);
      if (value === undefined || (values !== null && !values.has(value))) return false;
    }
    return ips === null || ips(identity.ip);
  };
}
