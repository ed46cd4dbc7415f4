import type { AlertRow } from "@/lib/core/api/alerts";
import { AppError } from "@/lib/core/errors";
import { tellChange } from "@/lib/db/changes";
import { inTransaction } from "@/lib/db/client";
import { alertRow } from "./alert-row";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";

/** What happened, and is over when it is said: it is open until somebody has seen it. */
const EVENTS: readonly string[] = ["guardrail-undone"];

/** Says that somebody looks after it; a trouble stays open until it is over. The first one counts. */
export async function acknowledgeAlert(ctx: Ctx, { id }: { id: string }): Promise<AlertRow> {
  requirePermission(ctx, "operate");
  return inTransaction(ctx.db, async (tx) => {
    const now = new Date(ctx.clock.nowMs());
    const { count } = await tx.alert.updateMany({
      where: { id, acknowledgedAt: null },
      data: { acknowledgedAt: now, acknowledgedBy: ctx.actor.name },
    });
    await tx.alert.updateMany({
      where: { id, kind: { in: [...EVENTS] }, resolvedAt: null },
      data: { resolvedAt: now },
    });
    const row = await tx.alert.findUnique({ where: { id } });
    if (row === null) throw new AppError("not_found", `there is no alert ${id}`);
    if (count === 1) {
      await tellChange(tx);
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
