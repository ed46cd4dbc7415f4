import type { WebhookList } from "@/lib/core/api/webhooks";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { webhookRows } from "./webhook-row";

/** All channels, oldest first, each with its last deliveries. An address may be a password: not for all eyes. */
export async function listWebhooks(ctx: Ctx): Promise<WebhookList> {
  requirePermission(ctx, "webhooks");
  return { items: await webhookRows(ctx.db, {}) };
}
