import type { WebhookSecret } from "@/lib/core/api/webhooks";
import { AppError } from "@/lib/core/errors";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { randomWebhookSecret } from "./random-id";
import { recordAudit } from "./record-audit";
import { sealSecret } from "./seal-secret";

const BOTH_MS = 86_400_000;

/** A new secret, in this answer only. For a day messages carry a signature of each, so that no receiver misses one. */
export async function rotateWebhookSecret(
  ctx: Ctx,
  { id }: { id: string },
): Promise<WebhookSecret> {
  requirePermission(ctx, "webhooks");
  const secret = randomWebhookSecret();
  return inTransaction(ctx.db, async (tx) => {
    const before = await tx.webhookChannel.findUnique({ where: { id } });
    if (before === null) throw new AppError("not_found", `there is no webhook channel ${id}`);
    await tx.webhookChannel.update({
      where: { id },
      data: {
        secret: sealSecret(secret, id, ctx.keys.webhook),
        earlierSecret: before.secret,
        earlierUntil: new Date(ctx.clock.nowMs() + BOTH_MS),
      },
    });
    await recordAudit(tx, ctx.actor, {
      action: "webhook.rotate",
      kind: "webhook",
      objectId: id,
      sentence: `${ctx.actor.name} rotated the secret of webhook channel ${before.name}`,
    });
    return { id, secret };
  });
}
