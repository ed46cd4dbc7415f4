import type { Ctx } from "./context";
import { ANONYMOUS } from "./list-plans";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";

/** The live plans by rank, keyless traffic last; who is on them is not counted. */
export async function listPlanNames(ctx: Ctx): Promise<{ id: string; name: string }[]> {
  requirePermission(ctx, "read");
  const { content } = await getLive(ctx.db);
  return [...content.plans, ANONYMOUS].map(({ id, name }) => ({ id, name }));
}
