import { expect, test } from "vitest";
import { compileRuleset } from "../core/compile-ruleset";
import type { LimiterDecision } from "../limiter";
import { bodyOf, factsOf, tokenBucketRule } from "../testing/rules";
import { warningsOf } from "./answers";

const rules = [
  tokenBucketRule({ id: "a", mode: "shadow", warn: true }),
  tokenBucketRule({ id: "b", mode: "shadow" }),
  tokenBucketRule({ id: "c" }),
];
const index = compileRuleset(bodyOf(rules), { epoch: 1, version: 1, hash: "h" });
const matched = index.match(factsOf({ key: "k1" }));

type Outcome = LimiterDecision["perRule"][number];

function decision(of: Partial<Outcome>, unchecked: string[] = []) {
  const perRule = matched.map(
    ({ compiled }): Outcome => ({
      ruleId: compiled.id,
      role: compiled.mode === "enforce" ? "enforced" : "shadow",
      allowed: false,
      charged: false,
      remaining: 0,
      resetMs: 1_000,
      retryAfterMs: 1_000,
      ...of,
    }),
  );
  return { perRule, unchecked };
}

test("only a rule that warns is told, and only what it really would have refused", () => {
  const idsOf = (told: ReturnType<typeof decision>) =>
    warningsOf(matched, told).map(({ ruleId }) => ruleId);
  expect(idsOf(decision({}))).toEqual(["a"]);
  expect(idsOf(decision({ allowed: true }))).toEqual([]);
  // On another shard: it is asked once the request was let on.
  expect(idsOf(decision({ unasked: true }))).toEqual([]);
  // Redis away and the rule is open or closed then: nobody looked at its bucket.
  expect(idsOf(decision({}, ["a"]))).toEqual([]);
});
