import type { Ctx } from "./context";
import { requirePermission } from "./permission";

/** Ids of the rules that have overrides, past ones included. */
export async function listOverrideRules(ctx: Ctx): Promise<string[]> {
  requirePermission(ctx, "read");
  const groups = await ctx.db.override.groupBy({ by: ["ruleId"], orderBy: { ruleId: "asc" } });
  return groups.map(({ ruleId }) => ruleId);
}
