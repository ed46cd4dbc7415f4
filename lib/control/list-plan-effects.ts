import { LOUD_FACTOR } from "@/lib/core/amount-compare";
import type { PlanEffects } from "@/lib/core/api/plans";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import { planEffects } from "@/lib/core/plan-effects";
import { type Content, withoutObject } from "@/lib/core/ruleset-objects";
import { findDraft } from "@/lib/db/drafts";
import { countByPlan } from "@/lib/db/plan-counts";
import type { Ctx } from "./context";
import { applyEdits, editsOf } from "./draft-edits";
import { draftOwner } from "./draft-owner";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";

/**
 * Whose limits the caller's draft moves against the live version, a plan each; with `removing`, what the plan's clients
 * would get if the draft took it away, too.
 */
export async function listPlanEffects(
  ctx: Ctx,
  { removing }: { removing?: string | undefined } = {},
): Promise<PlanEffects[]> {
  requirePermission(ctx, "read");
  const [{ content: live }, draft, counts] = await Promise.all([
    getLive(ctx.db),
    findDraft(ctx.db, draftOwner(ctx.actor)),
    countByPlan(ctx.db),
  ]);
  const drafted = applyEdits(live, editsOf(draft));
  const [before, after] =
    removing === undefined
      ? [live, drafted]
      : [drafted, withoutObject(drafted, { kind: "plan", id: removing })];
  const plans = removing === undefined ? plansOf(before, counts.keys()) : [removing];
  const effects = planEffects(before, after, plans);
  return plans.flatMap((plan): PlanEffects[] => {
    const rules = effects.filter((effect) => effect.plan === plan);
    if (rules.length === 0) return [];
    const known = before.plans.find(({ id }) => id === plan);
    return [
      {
        plan,
        name: plan === ANONYMOUS_PLAN ? "Anonymous" : (known?.name ?? plan),
        isRemoved: known !== undefined && !after.plans.some(({ id }) => id === plan),
        customers: counts.get(plan)?.customers ?? 0,
        keys: counts.get(plan)?.keys ?? 0,
        rules: rules.map(({ rule, name, mode, before: from, after: to, change }) => ({
          rule,
          name,
          mode,
          before: from,
          after: to,
          direction: change.direction,
          words: change.words,
          isLoud: change.factor >= LOUD_FACTOR,
        })),
      },
    ];
  });
}

/** By rank, then those that only clients are on, then traffic without a key. */
function plansOf({ plans }: Content, used: Iterable<string>): string[] {
  const ranked = plans.toSorted((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
  return [...new Set([...ranked.map(({ id }) => id), ...used, ANONYMOUS_PLAN])];
}
