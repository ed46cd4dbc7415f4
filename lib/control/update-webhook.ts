import type { z } from "zod";
import { WebhookPatchSchema, type WebhookRow } from "@/lib/core/api/webhooks";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";
import { audited, getWebhookRow } from "./webhook-row";

/** What is absent stays. Switched off it is sent nothing more: what waits is given up. */
export async function updateWebhook(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof WebhookPatchSchema>,
): Promise<WebhookRow> {
  requirePermission(ctx, "webhooks");
  const patch = parseInput(WebhookPatchSchema, input, "the change");
  return inTransaction(ctx.db, async (tx) => {
    const before = await getWebhookRow(tx, id);
    const { enabled = before.enabled } = patch;
    await tx.webhookChannel.update({
      where: { id },
      data: {
        name: patch.name ?? before.name,
        url: patch.url ?? before.url,
        format: patch.format ?? before.format,
        kinds: patch.kinds ?? before.kinds,
        severities: patch.severities ?? before.severities,
        isEnabled: enabled,
        ...(enabled ? { offWhy: null } : {}),
      },
    });
    if (before.enabled && !enabled) {
      await tx.webhookDelivery.updateMany({
        where: { channelId: id, state: "waiting" },
        data: { state: "failed", lastAnswer: "given up: the channel was switched off" },
      });
    }
    const after = await getWebhookRow(tx, id);
    if (
      JSON.stringify(audited(before)) === JSON.stringify(audited(after)) &&
      before.url === after.url
    )
      return after;
    const did = before.enabled === enabled ? "changed" : enabled ? "switched on" : "switched off";
    await recordAudit(tx, ctx.actor, {
      action: "webhook.update",
      kind: "webhook",
      objectId: id,
      sentence: `${ctx.actor.name} ${did} webhook channel ${after.name}`,
      before: audited(before),
      after: audited(after),
    });
    return after;
  });
}
