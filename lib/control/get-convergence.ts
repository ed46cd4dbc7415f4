import type { Convergence } from "@/lib/core/api/versions";
import type { Ctx } from "./context";
import { convergenceOf, fleetNow } from "./convergence";
import { loadVersion } from "./live-version";
import { requirePermission } from "./permission";

/** How far one version is in the fleet as it is now. */
export async function getConvergence(
  ctx: Ctx,
  { number }: { number: number },
): Promise<Convergence> {
  requirePermission(ctx, "read");
  const target = await loadVersion(ctx.db, number);
  const fleet = await fleetNow(ctx.db, ctx.clock.nowMs());
  return {
    ...(await convergenceOf(ctx.db, target, fleet)),
    version: number,
    createdAt: target.createdAt.toISOString(),
  };
}
