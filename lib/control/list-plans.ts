import type { PlanList, PlanRow } from "@/lib/core/api/plans";
import { planLimit } from "@/lib/core/limit-sentence";
import { ANONYMOUS_PLAN, type Plan } from "@/lib/core/plan";
import { countByPlan } from "@/lib/db/plan-counts";
import { revisionsOfVersion } from "@/lib/db/versions";
import type { Ctx } from "./context";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";

export const ANONYMOUS: Plan = {
  id: ANONYMOUS_PLAN,
  name: "Anonymous",
  rank: 0,
  description: "Traffic without a key that is known, counted by IP address.",
  protected: false,
};

/** The live plans by rank, with who is on them and what each rule gives them; keyless traffic last. */
export async function listPlans(ctx: Ctx): Promise<PlanList> {
  requirePermission(ctx, "read");
  const live = await getLive(ctx.db);
  const [counts, revisions] = await Promise.all([
    countByPlan(ctx.db),
    revisionsOfVersion(ctx.db, live.version),
  ]);
  const items = [...live.content.plans, ANONYMOUS].map(
    ({ id, name, rank, description, protected: isProtected }): PlanRow => ({
      id,
      name,
      rank,
      description,
      protected: isProtected,
      revision: revisions.get(`plan ${id}`) ?? null,
      customers: counts.get(id)?.customers ?? 0,
      keys: counts.get(id)?.keys ?? 0,
      limits: live.content.rules.map((rule) => {
        const { words, from } = planLimit(rule, id);
        return { rule: rule.id, name: rule.name, mode: rule.mode, words, from };
      }),
    }),
  );
  return { items, version: live.version };
}
