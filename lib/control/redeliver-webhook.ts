import type { z } from "zod";
import { type WebhookDeliveryRow, WebhookRedeliverRequestSchema } from "@/lib/core/api/webhooks";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";
import { deliveryRow } from "./webhook-row";

/** Sends one again, under the same id, now and for as long as a new one is tried. */
export async function redeliverWebhook(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof WebhookRedeliverRequestSchema>,
): Promise<WebhookDeliveryRow> {
  requirePermission(ctx, "webhooks");
  const { delivery } = parseInput(WebhookRedeliverRequestSchema, input, "the request");
  return inTransaction(ctx.db, async (tx) => {
    const found = await tx.webhookDelivery.findFirst({
      where: { id: delivery, channelId: id },
      include: { channel: true },
    });
    if (found === null)
      throw new AppError("not_found", `channel ${id} has no delivery ${delivery}`);
    const { name, isEnabled } = found.channel;
    if (!isEnabled)
      throw new AppError("conflict", `channel ${name} is switched off: switch it on to send to it`);
    // One that is being sent now is left to that attempt.
    await tx.$executeRaw`
      UPDATE webhook_delivery SET state = 'waiting', next_at = now(), give_up_at = now() + interval '24 hours'
      WHERE id = ${delivery} AND (state <> 'waiting' OR last_at IS NOT NULL)`;
    await recordAudit(tx, ctx.actor, {
      action: "webhook.redeliver",
      kind: "webhook",
      objectId: id,
      sentence: `${ctx.actor.name} sent ${delivery} to webhook channel ${name} again`,
    });
    return deliveryRow(await tx.webhookDelivery.findUniqueOrThrow({ where: { id: delivery } }));
  });
}
