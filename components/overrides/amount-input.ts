import { startAmount, type Way } from "@/components/rules/limit-ways";
import type { RuleInput } from "@/components/rules/rule-input";
import { type Amount, amountFor, fitsLimit } from "@/lib/core/limit";
import type { RuleChoice } from "./override-actions";

/**
 * A rule that gives everybody the amount: so the rule editor's own fields, bounds and sentences hold for an
 * override, too.
 */
export function amountInput({ id, name, countBy, limit }: RuleChoice, amount: unknown): RuleInput {
  return {
    id,
    name,
    countBy,
    limit: { ...limit, perPlan: {}, anonymous: undefined, default: amount },
  };
}

/** Null for a shedder, which has no amounts. */
export function amountWay({ limit }: RuleChoice): Way | null {
  if (limit.kind === "concurrency") return "concurrency";
  return limit.kind === "rate" ? limit.algorithm : null;
}

/** What the plan gives, to be changed; a limit to begin with where it gives none. */
export function startOf(rule: RuleChoice, plan: string | undefined): unknown {
  const given: Amount | null = plan === undefined ? null : amountFor(rule.limit, plan);
  if (given !== null && given !== "unlimited" && fitsLimit(rule.limit, given)) return given;
  const way = amountWay(rule);
  return way === null ? undefined : startAmount(way);
}
