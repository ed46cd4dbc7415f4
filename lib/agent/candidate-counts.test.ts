import fc from "fast-check";
import { expect, test } from "vitest";
import { ManualClock } from "../clock";
import { type CandidateFigures, candidateFigures } from "../core/candidate-figures";
import type { CheckRule } from "../core/check";
import { compileRuleset } from "../core/compile-ruleset";
import { decide } from "../core/decide";
import type { StateRecord } from "../core/record";
import type { Body } from "../core/ruleset";
import type { MatchedRule } from "../core/ruleset-index";
import { drawOf } from "../core/share";
import { bodyOf, factsOf, tokenBucketRule } from "../testing/rules";
import { createCounts } from "./counts";

const CLIENTS = ["a", "b", "c", "d", "e", "f"];

const limit = fc.record({
  rate: fc.integer({ min: 1, max: 20 }),
  per: fc.constantFrom("10s", "1m"),
  burst: fc.integer({ min: 1, max: 6 }),
});

const traffic = fc.record({
  live: limit,
  candidate: limit,
  other: fc.option(limit, { nil: undefined }),
  isNarrow: fc.boolean(),
  share: fc.constantFrom(0, 30, 100),
  steps: fc.array(
    fc.record({
      afterMs: fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 5_000 })),
      client: fc.constantFrom(...CLIENTS),
      method: fc.constantFrom("GET", "POST"),
    }),
    { minLength: 40, maxLength: 120 },
  ),
});

type Amount = { rate: number; per: string; burst: number };
type World = {
  live: Amount;
  candidate: Amount;
  other: Amount | undefined;
  isNarrow: boolean;
  share: number;
};

function bodyFor({ live, candidate, other, isNarrow, share }: World): Body {
  const perKey = (amount: Amount, id: string, methods?: ["POST"]) =>
    tokenBucketRule({ id, limit: { default: amount }, match: methods ? { methods } : {} });
  const tried = perKey(candidate, "tried", isNarrow ? ["POST"] : undefined);
  const body = bodyOf([perKey(live, "tried"), ...(other ? [perKey(other, "other")] : [])]);
  return {
    ...body,
    rules: body.rules.map((entry) =>
      entry.id === "tried"
        ? { ...entry, candidate: { revision: 2, slot: 77, rule: tried }, share }
        : entry,
    ),
  };
}

function checkRule({ compiled, principal, limit, cost }: MatchedRule): CheckRule {
  const role = compiled.mode === "enforce" ? "enforced" : "shadow";
  return { ruleId: compiled.id, key: principal, slot: compiled.slot, role, limit, cost };
}

type Sums = Record<string, CandidateFigures>;

function nothing(): CandidateFigures {
  return candidateFigures([]);
}

/** Says of each request what it is by deciding it in both worlds, from the same buckets. */
function oracle(
  figures: CandidateFigures,
  matched: readonly MatchedRule[],
  records: ReadonlyMap<string, StateRecord[]>,
  nowUs: number,
): void {
  const rules = matched.map(checkRule);
  const asked = { records, nowUs, source: "local" } as const;
  const today = decide({ rules, ...asked }).decision.verdict;
  const tried = rules.find(({ slot }) => slot === 77);
  if (tried?.role === "enforced") {
    figures.enforced.requests += 1;
    const alone = decide({ rules: [tried], ...asked }).decision.verdict;
    if (alone === "refused") figures.enforced.rejections += 1;
    return;
  }
  const inItsPlace = rules.flatMap((rule): CheckRule[] => {
    if (rule.slot === 77) return [{ ...rule, role: "enforced" }];
    return rule.ruleId === "tried" ? [] : [rule];
  });
  const then = decide({ rules: inItsPlace, ...asked }).decision.verdict;
  const own = tried && decide({ rules: [{ ...tried, role: "enforced" }], ...asked }).decision;
  if (tried !== undefined) figures.requests += 1;
  if (today === "allowed" && then === "refused") figures.newly += 1;
  if (today === "refused" && then === "allowed") figures.noLonger += 1;
  if (today === "refused" && own?.verdict === "refused") figures.both += 1;
}

test("newly, no longer and both, by plan and by client, are what deciding each request in both worlds says", () => {
  const seen = { newly: 0, noLonger: 0, both: 0, enforced: 0, notChosen: 0 };
  fc.assert(
    fc.property(traffic, (world) => {
      const clock = new ManualClock();
      const id = { epoch: 1_767_225_600, version: 3, hash: "a".repeat(64) };
      const index = compileRuleset(bodyFor(world), id);
      const counts = createCounts({ clock });
      const states = new Map<string, StateRecord[]>();
      const byPlan: Sums = {};
      const byClient: Sums = {};
      for (const { afterMs, client, method } of world.steps) {
        clock.advance(afterMs);
        const plan = client < "d" ? "free" : "paid";
        const facts = factsOf({ key: client, plan, method });
        const matched = index.match(facts);
        const nowUs = clock.nowMs() * 1000;
        for (const [of, name] of [
          [byPlan, plan],
          [byClient, `key:${client}`],
        ] as const) {
          of[name] ??= nothing();
          oracle(of[name], matched, states, nowUs);
        }
        const rules = matched.map(checkRule);
        const { decision, writes } = decide({ rules, records: states, nowUs, source: "local" });
        for (const { key, records } of writes) states.set(key, records);
        counts.count({
          index,
          matched,
          outcomes: decision.perRule,
          verdict: decision.verdict,
          source: "local",
          unchecked: [],
          identity: facts.identity,
          method,
          route: "/v1/messages",
          requestId: "r",
        });
        if (drawOf("tried", `key:${client}`) >= world.share * 100) seen.notChosen += 1;
      }
      const taken = counts.take();
      const rows = (taken?.counts ?? []).filter(({ rule }) => rule === "tried");
      const clients = (taken?.clients ?? []).filter(({ rule }) => rule === "tried");
      for (const [plan, figures] of Object.entries(byPlan)) {
        expect(candidateFigures(rows.filter((row) => row.plan === plan))).toEqual(figures);
        seen.newly += figures.newly;
        seen.noLonger += figures.noLonger;
        seen.both += figures.both;
        seen.enforced += figures.enforced.rejections;
      }
      for (const [client, expected] of Object.entries(byClient)) {
        const own = candidateFigures(clients.filter((row) => row.client === client));
        const hits = ({ newly, noLonger, both, enforced }: CandidateFigures) => ({
          ...{ newly, noLonger, both },
          refused: enforced.rejections,
        });
        expect(hits(own)).toEqual(hits(expected));
      }
    }),
    { numRuns: 200 },
  );
  for (const [what, count] of Object.entries(seen))
    expect([what, count > 200]).toEqual([what, true]);
});
