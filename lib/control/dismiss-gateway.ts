import type { z } from "zod";
import { DismissRequestSchema, type GatewayRow } from "@/lib/core/api/gateways";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { gatewayState } from "./fleet";
import { gatewayRow } from "./gateway-row";
import { getInstallation } from "./live-version";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";
import { resolveAlert } from "./resolve-alert";

/** Takes a gateway that is gone for good off the fleet; it comes back by itself when it is heard again. */
export async function dismissGateway(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof DismissRequestSchema>,
): Promise<GatewayRow> {
  requirePermission(ctx, "operate");
  const { reason } = parseInput(DismissRequestSchema, input, "the request");
  return inTransaction(ctx.db, async (tx) => {
    const nowMs = ctx.clock.nowMs();
    const installation = await getInstallation(tx);
    const before = await tx.gateway.findUnique({ where: { id } });
    if (before === null) throw new AppError("not_found", `there is no gateway ${id}`);
    if (before.dismissedAt !== null) return gatewayRow(before, installation, nowMs);
    if (gatewayState(before, nowMs) === "live")
      throw new AppError(
        "conflict",
        `gateway ${id} is live: only one that is not heard any more can be dismissed; stop it first`,
      );
    const row = await tx.gateway.update({
      where: { id },
      data: { dismissedAt: new Date(nowMs) },
    });
    await resolveAlert(tx, { kinds: ["gateway-silent"], subject: id, atMs: nowMs });
    await recordAudit(tx, ctx.actor, {
      action: "gateway.dismiss",
      kind: "gateway",
      objectId: id,
      sentence: `${ctx.actor.name} dismissed gateway ${id}, last heard ${before.lastSeenAt.toISOString()}`,
      reason,
    });
    return gatewayRow(row, installation, nowMs);
  });
}
