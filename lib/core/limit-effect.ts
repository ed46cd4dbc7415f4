import { compareAmounts } from "./amount-compare";
import { type Amount, amountFor } from "./limit";
import { ANONYMOUS_PLAN } from "./plan";
import type { Rule } from "./rule";
import type { Content } from "./ruleset-objects";

/** What a change does to one plan's clients: ids of the rules that let them do more, or less, than before. */
export type PlanEffect = { plan: string; raised: string[]; lowered: string[] };

/**
 * Which plans' limits rise or fall between two contents, by what enforced rules allow them; plans that nothing touches are
 * left out. A rule that allows more of one thing and less of another is in both lists.
 */
export function limitEffect(before: Content, after: Content): PlanEffect[] {
  const plans = new Set([
    ...before.plans.map(({ id }) => id),
    ...after.plans.map(({ id }) => id),
    ANONYMOUS_PLAN,
  ]);
  const rules = changedRules(before, after);
  return [...plans].sort().flatMap((plan) => {
    const effect: PlanEffect = { plan, raised: [], lowered: [] };
    for (const { id, from, to } of rules) {
      const { direction } = compareAmounts(
        enforcedAmount(from, plan, before),
        enforcedAmount(to, plan, after),
      );
      if (direction === "looser" || direction === "mixed") effect.raised.push(id);
      if (direction === "stricter" || direction === "mixed") effect.lowered.push(id);
    }
    return effect.raised.length + effect.lowered.length === 0 ? [] : [effect];
  });
}

type Pair = { id: string; from: Rule | undefined; to: Rule | undefined };

function changedRules(before: Content, after: Content): Pair[] {
  const [from, to] = [before, after].map(({ rules }) => new Map(rules.map((r) => [r.id, r])));
  const ids = new Set([...(from?.keys() ?? []), ...(to?.keys() ?? [])]);
  return [...ids].sort().map((id) => ({ id, from: from?.get(id), to: to?.get(id) }));
}

/** Null: the rule refuses nothing of this plan. Keys of a plan that is not there get `default`. */
function enforcedAmount(rule: Rule | undefined, plan: string, { plans }: Content): Amount | null {
  if (rule === undefined || rule.mode !== "enforce") return null;
  const isKnown = plan === ANONYMOUS_PLAN || plans.some(({ id }) => id === plan);
  const asked = rule.match.plans;
  if (asked !== undefined && !asked.includes(plan)) return null;
  return amountFor(isKnown ? rule.limit : withoutPlans(rule.limit), plan);
}

function withoutPlans(limit: Rule["limit"]): Rule["limit"] {
  return "perPlan" in limit ? { ...limit, perPlan: {} } : limit;
}
