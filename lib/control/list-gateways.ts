import type { GatewayList } from "@/lib/core/api/gateways";
import { SILENT_MS } from "@/lib/core/heartbeat";
import type { Ctx } from "./context";
import { convergenceOf, fleetNow } from "./convergence";
import { gatewayRow } from "./gateway-row";
import { getInstallation, loadVersion } from "./live-version";
import { requirePermission } from "./permission";

/** The fleet by id. A vanished gateway stays until it was silent for 24 h, or is dismissed. */
export async function listGateways(ctx: Ctx): Promise<GatewayList> {
  requirePermission(ctx, "read");
  const nowMs = ctx.clock.nowMs();
  const installation = await getInstallation(ctx.db);
  const [rows, live, fleet] = await Promise.all([
    ctx.db.gateway.findMany({
      where: { dismissedAt: null, lastSeenAt: { gte: new Date(nowMs - SILENT_MS) } },
      orderBy: { id: "asc" },
    }),
    loadVersion(ctx.db, installation.version),
    fleetNow(ctx.db, nowMs),
  ]);
  const { gateways: _, ...convergence } = await convergenceOf(ctx.db, live, fleet);
  return {
    items: rows.map((row) => gatewayRow(row, installation, nowMs)),
    current: { epoch: live.epoch, version: live.version },
    convergence,
    asOf: new Date(nowMs).toISOString(),
  };
}
