import type { Plan } from "@/lib/core/plan";
import type { Ctx } from "./context";
import { ANONYMOUS } from "./list-plans";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";

/** The live plans by rank, keyless traffic last; who is on them is not counted. */
export async function listPlanNames(ctx: Ctx): Promise<Pick<Plan, "id" | "name" | "protected">[]> {
  requirePermission(ctx, "read");
  const { content } = await getLive(ctx.db);
  return [...content.plans, ANONYMOUS].map(({ id, name, protected: isProtected }) => ({
    id,
    name,
    protected: isProtected,
  }));
}
