import { randomBytes } from "node:crypto";
import type { WebhookDeliveryRow } from "@/lib/core/api/webhooks";
import { inTransaction } from "@/lib/db/client";
import { jsonColumn } from "@/lib/db/json";
import { attemptWebhook, CLAIM_SECONDS } from "./attempt-webhook";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";
import { deliveryRow, getWebhookRow } from "./webhook-row";

/** Sends one message now, from here, and says what the receiver answered. It is not tried again. */
export async function testWebhook(ctx: Ctx, { id }: { id: string }): Promise<WebhookDeliveryRow> {
  requirePermission(ctx, "webhooks");
  const at = new Date(ctx.clock.nowMs());
  const delivery = await inTransaction(ctx.db, async (tx) => {
    const { name } = await getWebhookRow(tx, id);
    const alert = {
      id: "test",
      kind: "test",
      subject: name,
      severity: "info",
      message: `${ctx.actor.name} tests the channel ${name}: nothing is wrong`,
      raised_at: at.toISOString(),
      resolved_at: null,
      acknowledged_at: null,
      acknowledged_by: null,
    };
    await recordAudit(tx, ctx.actor, {
      action: "webhook.test",
      kind: "webhook",
      objectId: id,
      sentence: `${ctx.actor.name} sent a test to webhook channel ${name}`,
    });
    return tx.webhookDelivery.create({
      data: {
        id: `msg_${randomBytes(16).toString("hex")}`,
        channelId: id,
        event: "test",
        alert: jsonColumn(alert),
        createdAt: at,
        // As good as claimed: a worker leaves it alone; and given up after the one attempt.
        attempts: 1,
        nextAt: new Date(Date.now() + CLAIM_SECONDS * 1000),
        giveUpAt: at,
      },
    });
  });
  await attemptWebhook(ctx, delivery.id);
  return deliveryRow(
    await ctx.db.webhookDelivery.findUniqueOrThrow({ where: { id: delivery.id } }),
  );
}
