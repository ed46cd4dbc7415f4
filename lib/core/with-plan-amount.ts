import { type Amount, amountsOf, type RateLimit } from "./limit";
import { ANONYMOUS_PLAN } from "./plan";

/** The limit with another amount for one plan, where the plan's amount is written; the others keep theirs. */
export function withPlanAmount(
  limit: RateLimit,
  plan: string,
  amount: Exclude<Amount, "unlimited">,
): unknown {
  const isNamed = Object.hasOwn(amountsOf(limit).perPlan, plan);
  if (plan === ANONYMOUS_PLAN && !isNamed) return { ...limit, anonymous: amount };
  return { ...limit, perPlan: { ...limit.perPlan, [plan]: amount } };
}
