import type { Convergence } from "@/lib/core/api/versions";
import type { Reader } from "@/lib/db/client";
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
  const convergence = await convergenceOf(ctx.db, target, fleet);
  const behind = convergence.gateways.filter(({ state }) => state === "pending");
  const errors = await errorsOf(
    ctx.db,
    behind.map(({ id }) => id),
  );
  return {
    ...convergence,
    gateways: convergence.gateways.map((gateway) => ({
      ...gateway,
      reason: gateway.reason ?? errors.get(gateway.id) ?? null,
    })),
    version: number,
    createdAt: target.createdAt.toISOString(),
  };
}

/** What those that are behind say is wrong with them. */
async function errorsOf(reader: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await reader.$queryRaw<{ id: string; error: string }[]>`
    SELECT id, heartbeat->>'error' AS error FROM gateway
    WHERE id = ANY(${[...ids]}::text[]) AND heartbeat->>'error' IS NOT NULL`;
  return new Map(rows.map(({ id, error }) => [id, error]));
}
