import { expect, test } from "vitest";
import { tokenBucketRule } from "../testing/rules";
import { limitEffect } from "./limit-effect";
import type { Rule } from "./rule";
import { BodySchema } from "./ruleset";
import type { Content } from "./ruleset-objects";
import { contentOf } from "./ruleset-objects";

const plans = ["free", "paid"].map((id, rank) => ({ id, name: id, rank }));

function contentWith(...rules: Rule[]): Content {
  return { ...contentOf(BodySchema.parse({ plans, rules: [] })), rules };
}

const per = (rate: number, burst = rate) => ({ rate, per: "1m", burst });
const rule = (free: number, fields: Partial<Rule> = {}, paid = 100): Rule => ({
  ...tokenBucketRule({ id: "r", limit: { perPlan: { free: per(free), paid: per(paid) } } }),
  ...fields,
});

test.each([
  [
    "a lower number lowers its plan",
    rule(60),
    rule(6),
    [{ plan: "free", raised: [], lowered: ["r"] }],
  ],
  ["a higher one raises it", rule(60), rule(61), [{ plan: "free", raised: ["r"], lowered: [] }]],
  [
    "nothing that refuses nobody counts",
    rule(60, { mode: "shadow" }),
    rule(6, { mode: "off" }),
    [],
  ],
  [
    "a rule that begins to refuse lowers all that it matches",
    rule(60, { mode: "shadow" }),
    rule(60, { match: { plans: ["paid"] } }),
    [{ plan: "paid", raised: [], lowered: ["r"] }],
  ],
])("%s", (_, before, after, expected) => {
  expect(limitEffect(contentWith(before), contentWith(after))).toEqual(expected);
});

test("a rule that goes raises everybody, also who comes without a key", () => {
  const effect = limitEffect(contentWith(rule(60)), contentWith());
  expect(effect.map(({ plan }) => plan)).toEqual(["anonymous", "free", "paid"]);
  expect(effect.every(({ raised }) => raised.includes("r"))).toBe(true);
});

test("a higher rate with a lower burst is both, and keys of a removed plan get the default", () => {
  const before = contentWith(rule(60));
  const mixed = tokenBucketRule({
    id: "r",
    limit: { perPlan: { free: per(120, 10), paid: per(100) } },
  });
  expect(limitEffect(before, contentWith(mixed))).toEqual([
    { plan: "free", raised: ["r"], lowered: ["r"] },
  ]);
  const without = { ...before, plans: before.plans.filter(({ id }) => id !== "paid") };
  expect(limitEffect(before, without)).toEqual([{ plan: "paid", raised: [], lowered: ["r"] }]);
});
