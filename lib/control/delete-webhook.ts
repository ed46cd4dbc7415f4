import type { WebhookRow } from "@/lib/core/api/webhooks";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";
import { audited, getWebhookRow } from "./webhook-row";

/** With its log and what waits to be sent. */
export async function deleteWebhook(ctx: Ctx, { id }: { id: string }): Promise<WebhookRow> {
  requirePermission(ctx, "webhooks");
  return inTransaction(ctx.db, async (tx) => {
    const before = await getWebhookRow(tx, id);
    await tx.webhookChannel.delete({ where: { id } });
    await recordAudit(tx, ctx.actor, {
      action: "webhook.delete",
      kind: "webhook",
      objectId: id,
      sentence: `${ctx.actor.name} deleted webhook channel ${before.name}`,
      before: audited(before),
    });
    return before;
  });
}
