import type { z } from "zod";
import {
  WebhookCreateRequestSchema,
  type WebhookRow,
  type WebhookSecret,
} from "@/lib/core/api/webhooks";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { randomId, randomWebhookSecret } from "./random-id";
import { recordAudit } from "./record-audit";
import { sealSecret } from "./seal-secret";
import { audited, getWebhookRow } from "./webhook-row";

/** Every event is a row for each channel. */
const MOST_CHANNELS = 50;

/** The secret itself is in this answer only. */
export async function createWebhook(
  ctx: Ctx,
  input: z.input<typeof WebhookCreateRequestSchema>,
): Promise<WebhookRow & WebhookSecret> {
  requirePermission(ctx, "webhooks");
  const given = parseInput(WebhookCreateRequestSchema, input, "the channel");
  const id = randomId();
  const secret = randomWebhookSecret();
  return inTransaction(ctx.db, async (tx) => {
    if ((await tx.webhookChannel.count()) >= MOST_CHANNELS)
      throw new AppError("conflict", `there are ${MOST_CHANNELS} channels, which is the most`);
    await tx.webhookChannel.create({
      data: {
        id,
        ...given,
        secret: sealSecret(secret, id, ctx.keys.webhook),
        createdAt: new Date(ctx.clock.nowMs()),
        createdBy: ctx.actor.name,
      },
    });
    await recordAudit(tx, ctx.actor, {
      action: "webhook.create",
      kind: "webhook",
      objectId: id,
      sentence: `${ctx.actor.name} created webhook channel ${given.name}`,
      after: audited({ ...given, enabled: true }),
    });
    return { ...(await getWebhookRow(tx, id)), secret };
  });
}
