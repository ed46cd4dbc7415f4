import { describe, expect, test } from "vitest";
import { ruleOf, tokenBucketRule } from "../testing/rules";
import { type Plan, PlanSchema } from "./plan";
import { planEffects } from "./plan-effects";
import type { Rule } from "./rule";

const plan = (id: string): Plan => PlanSchema.parse({ id, name: id, rank: 1 });
const of = (rate: number) => ({ rate, per: "1m", burst: rate });
const base = tokenBucketRule({
  id: "r",
  name: "Requests",
  countBy: ["client"],
  limit: { perPlan: { free: of(60), paid: of(600) }, anonymous: of(20), default: of(5) },
});
const PLANS = ["free", "paid", "anonymous"];

function effects(
  after: readonly Rule[],
  plans = ["free", "paid"],
  before: readonly Rule[] = [base],
) {
  const was = { plans: [plan("free"), plan("paid")], rules: before };
  return planEffects(was, { plans: plans.map(plan), rules: after }, PLANS).map(
    ({ plan: who, before: from, after: to, change }) => [who, from, to, change.words],
  );
}

describe("a change is shown for the plans that it reaches, and for no other", () => {
  const limit = (fields: object) => ({ ...base, limit: { ...base.limit, ...fields } }) as Rule;
  test.each<[string, readonly Rule[], string[] | undefined, unknown[]]>([
    ["nothing", [base], undefined, []],
    [
      "one plan's amount",
      [limit({ perPlan: { free: of(6), paid: of(600) } })],
      undefined,
      [["free", "60 per 1m", "6 per 1m", "10 times stricter"]],
    ],
    ["the default, which no plan falls to", [limit({ default: of(1) })], undefined, []],
    [
      "a plan that falls to the default",
      [limit({ perPlan: { paid: of(600) } })],
      undefined,
      [["free", "60 per 1m", "5 per 1m", "12 times stricter"]],
    ],
    [
      "a plan that goes: its clients get what no plan names",
      [base],
      ["free"],
      [["paid", "600 per 1m", "5 per 1m", "120 times stricter"]],
    ],
    [
      "a rule that no longer matches a plan",
      [{ ...base, match: { plans: ["paid"] } }],
      undefined,
      [
        ["free", "60 per 1m", "not matched", "no longer limited"],
        ["anonymous", "20 per 1m", "not matched", "no longer limited"],
      ],
    ],
    [
      "a rule that is turned off",
      [{ ...base, mode: "off" }],
      undefined,
      [
        ["free", "60 per 1m", "off", "no longer limited"],
        ["paid", "600 per 1m", "off", "no longer limited"],
        ["anonymous", "20 per 1m", "off", "no longer limited"],
      ],
    ],
    [
      "a rule that goes",
      [],
      undefined,
      [
        ["free", "60 per 1m", "no rule", "no longer limited"],
        ["paid", "600 per 1m", "no rule", "no longer limited"],
        ["anonymous", "20 per 1m", "no rule", "no longer limited"],
      ],
    ],
  ])("%s", (_, after, plans, expected) => {
    expect(effects(after, plans)).toEqual(expected);
  });

  test("the same numbers in windows of another kind", () => {
    const windows = (algorithm: "sliding-window" | "fixed-window") =>
      ruleOf({ kind: "rate", algorithm, default: { rate: 9, per: "1m" } }, { id: "w" });
    const [first] = effects([windows("fixed-window")], undefined, [windows("sliding-window")]);
    expect(first?.[3]).toBe("counted in another way");
  });
});
