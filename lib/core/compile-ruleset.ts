import { isShedder } from "./limit";
import type { Lists } from "./list-entry";
import { compileLists } from "./lists";
import { isPreflight } from "./preflight";
import { compileRoutes } from "./route-template";
import { EXEMPT_PREFLIGHT, methodBit } from "./rule-conditions";
import { ruleIndexSteps } from "./rule-index";
import { compileRule, type RuleMatcher } from "./rule-matcher";
import type { Body, RuleEntry } from "./ruleset";
import type { CompiledRule, MatchedRule, RequestFacts, RulesetIndex } from "./ruleset-index";
import { compileShare } from "./share";
import { compileShedders } from "./shedder-index";
import { runSteps, type Steps } from "./steps";
import { isStopped } from "./stop-enforcing";

/**
 * A version's body, ready to match. Rules that are off are left out. What has the same id, revision and slot
 * as in `previous` is taken over from it, unless the epoch changed: a restored database may number anew. Rules that
 * are `stopped` at this gateway are in shadow whatever the version says, lists that are so are empty.
 */
export function compileRuleset(
  body: Body,
  id: CompiledId,
  previous?: RulesetIndex,
  stopped: readonly string[] = [],
): RulesetIndex {
  return runSteps(rulesetSteps(body, id, previous, stopped));
}

type CompiledId = { epoch: number; version: number; hash: string };

/** As `compileRuleset`; no step takes longer than a rule, or the keys of all, or a list that changed. */
export function* rulesetSteps(
  body: Body,
  { epoch, version, hash }: CompiledId,
  previous?: RulesetIndex,
  stopped: readonly string[] = [],
): Steps<RulesetIndex> {
  const { settings } = body;
  const caseInsensitive = settings.caseInsensitivePaths;
  const known = previous?.id.epoch === epoch ? matchersOf.get(previous) : undefined;
  const matchers = new Map<string, RuleMatcher>();
  const all: RuleMatcher[] = [];
  for (const entry of [...body.rules].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const isOut = isStopped(stopped, entry.id);
    const lanes = compiledLanes(entry, isOut).map((compiled) => {
      const name = `${compiled.lane} ${entry.id}`;
      const old = known?.get(name);
      const isSame = old?.caseInsensitive === caseInsensitive && isSameRevision(old, compiled);
      const matcher = isSame ? old : compileRule(compiled, caseInsensitive);
      matchers.set(name, matcher);
      return matcher;
    });
    all.push(...(isOut ? lanes : shareLanes(entry, lanes)));
    yield;
  }
  const find = yield* ruleIndexSteps(all.filter(({ compiled }) => !isShedder(compiled.rule.limit)));
  const plans = new Set(body.plans.map((plan) => plan.id));
  const methodOf = (facts: RequestFacts) =>
    settings.exemptPreflight && isPreflight(facts) ? EXEMPT_PREFLIGHT : methodBit(facts.method);
  yield;
  const routeOf = compileRoutes(body.routes, { caseInsensitive });
  yield;
  const lists = compileLists(withoutStopped(body.lists, stopped), previous?.lists);
  yield;
  const index: RulesetIndex = {
    id: { epoch, version },
    hash,
    settings,
    plans,
    lists,
    rules: all.map((matcher) => matcher.compiled),
    routeOf,
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

function withoutStopped(lists: Lists, stopped: readonly string[]): Lists {
  const { allow, deny, flood } = lists;
  return {
    allow,
    deny: isStopped(stopped, "_deny") ? [] : deny,
    flood: isStopped(stopped, "_flood") ? [] : flood,
  };
}

function compiledLanes({ id, live, candidate }: RuleEntry, isOut: boolean): CompiledRule[] {
  return (["live", "candidate"] as const).flatMap((lane) => {
    const entry = lane === "live" ? live : candidate;
    if (entry === undefined || entry.rule.mode === "off") return [];
    const { revision, slot, rule } = entry;
    // A candidate only counts, but for the clients of its share.
    const mode = lane === "live" && !isOut ? entry.rule.mode : "shadow";
    const hasCandidate = candidate !== undefined && candidate.rule.mode !== "off";
    return [{ id, revision, slot, mode, lane, hasCandidate, rule }];
  });
}

/** Of a rule with a candidate: its share of the clients meets the candidate, enforced; the others the live one, and the candidate in shadow. */
function shareLanes(entry: RuleEntry, lanes: readonly RuleMatcher[]): readonly RuleMatcher[] {
  const candidate = lanes.find(({ compiled }) => compiled.lane === "candidate");
  if (candidate === undefined || entry.share === undefined || entry.share === 0) return lanes;
  const isChosen = compileShare(entry);
  const enforced: CompiledRule = { ...candidate.compiled, mode: "enforce" };
  return lanes.map((matcher) => ({
    ...matcher,
    bucket(facts, plans) {
      const { client, plan } = facts.identity;
      const isOfShare = isChosen(client, plan);
      if (matcher !== candidate) return isOfShare ? null : matcher.bucket(facts, plans);
      const bucket = matcher.bucket(facts, plans);
      return bucket === null || !isOfShare ? bucket : { ...bucket, compiled: enforced };
    },
  }));
}

function isSameRevision(
  { compiled: old }: RuleMatcher,
  { revision, slot, mode, hasCandidate }: CompiledRule,
): boolean {
  return (
    old.revision === revision &&
    old.slot === slot &&
    old.mode === mode &&
    old.hasCandidate === hasCandidate
  );
}
