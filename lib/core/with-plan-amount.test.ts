import { expect, test } from "vitest";
import { tokenBucketRule } from "../testing/rules";
import { amountFor, amountsOf } from "./limit";
import { RuleSchema } from "./rule";
import { withPlanAmount } from "./with-plan-amount";

const amount = (rate: number) => ({ rate, per: "1m", burst: rate });
const rule = tokenBucketRule({
  limit: { perPlan: { paid: amount(600) }, anonymous: amount(20), default: amount(60) },
});

test.each([
  ["paid", 600],
  ["free", 60],
  ["anonymous", 20],
])("another amount for %s leaves every other plan its own", (plan, was) => {
  expect(amountFor(rule.limit, plan)).toMatchObject({ rate: was });
  const { limit } = RuleSchema.parse({
    ...rule,
    limit: withPlanAmount(rule.limit, plan, amount(7)),
  });
  expect(amountFor(limit, plan)).toEqual(amount(7));
  for (const other of ["paid", "free", "anonymous", "enterprise"])
    if (other !== plan) expect(amountFor(limit, other)).toEqual(amountFor(rule.limit, other));
  expect(amountsOf(limit).default).toEqual(amountsOf(rule.limit).default);
});
