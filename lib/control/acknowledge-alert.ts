import type { AlertRow } from "@/lib/core/api/alerts";
import { AppError } from "@/lib/core/errors";
import { inTransaction } from "@/lib/db/client";
import { alertRow } from "./alert-row";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";

/** Says that somebody looks after it; the trouble stays open until it is over. The first one counts. */
export async function acknowledgeAlert(ctx: Ctx, { id }: { id: string }): Promise<AlertRow> {
  requirePermission(ctx, "operate");
  return inTransaction(ctx.db, async (tx) => {
    const { count } = await tx.alert.updateMany({
      where: { id, acknowledgedAt: null },
      data: { acknowledgedAt: new Date(ctx.clock.nowMs()), acknowledgedBy: ctx.actor.name },
    });
    const row = await tx.alert.findUnique({ where: { id } });
    if (row === null) throw new AppError("not_found", `there is no alert ${id}`);
    if (count === 1) {
      await recordAudit(tx, ctx.actor, {
        action: "alert.acknowledge",
        kind: "alert",
        objectId: id,
        sentence: `${ctx.actor.name} acknowledged the alert "${row.message}"`,
        details: { kind: row.kind, subject: row.subject },
      });
    }
    return alertRow(row);
  });
}
