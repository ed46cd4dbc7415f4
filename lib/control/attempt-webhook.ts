import { Webhook } from "standardwebhooks";
import { WEBHOOK_FORMATS } from "@/lib/core/api/webhooks";
import { AppError } from "@/lib/core/errors";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { type PostResult, postWebhook } from "./post-webhook";
import { recordAudit } from "./record-audit";
import { retryAfterMs, retryMs } from "./retry-webhook";
import { openSecret } from "./seal-secret";
import { ToldAlertSchema, webhookBody } from "./webhook-body";

/** Longer than an attempt takes: a worker that holds a delivery this long is taken for dead. */
export const CLAIM_SECONDS = 30;
const GONE = 410;

/** One attempt at a delivery that the caller has claimed, and what follows from it. */
export async function attemptWebhook(ctx: Ctx, id: string): Promise<void> {
  const delivery = await findClaimed(ctx, id);
  // Gone with its channel, or stopped with it since it was claimed.
  if (delivery === null) return;
  const result = await send(ctx, delivery);
  const isDelivered = result.status !== null && result.status >= 200 && result.status < 300;
  if (result.status === GONE) await switchOff(ctx, delivery.channel);
  const waitMs = Math.max(retryMs(delivery.attempts), retryAfterMs(result.retryAfter));
  const state = isDelivered ? "delivered" : result.status === GONE ? "failed" : "waiting";
  // By the clock of Postgres throughout, which is the one that workers share. An attempt that was overtaken changes nothing.
  await ctx.db.$executeRaw`
    UPDATE webhook_delivery SET
      state = CASE WHEN ${state} = 'waiting' AND now() + make_interval(secs => ${waitMs / 1000}::float8) > give_up_at
        THEN 'failed' ELSE ${state} END,
      next_at = now() + make_interval(secs => ${waitMs / 1000}::float8),
      last_at = now(), last_status = ${result.status}::int, last_answer = ${result.answer}
    WHERE id = ${id} AND attempts = ${delivery.attempts}::int AND state = 'waiting'`;
}

type Claimed = NonNullable<Awaited<ReturnType<typeof findClaimed>>>;
function findClaimed(ctx: Ctx, id: string) {
  return ctx.db.webhookDelivery.findUnique({ where: { id }, include: { channel: true } });
}

async function send(ctx: Ctx, { id, event, alert, createdAt, channel }: Claimed) {
  const { environment, config, keys } = ctx;
  try {
    const format = WEBHOOK_FORMATS.find((each) => each === channel.format) ?? "json";
    const told = ToldAlertSchema.parse(alert);
    const { publicUrl } = config;
    const body = webhookBody(format, { event, alert: told, createdAt, environment, publicUrl });
    const now = new Date();
    const isEarlierValid = channel.earlierUntil !== null && channel.earlierUntil > now;
    const signatures = [channel.secret, isEarlierValid ? channel.earlierSecret : null]
      .filter((stored) => stored !== null)
      .map((stored) => new Webhook(openSecret(stored, channel.id, keys.webhook)))
      .map((webhook) => webhook.sign(id, now, body));
    return await postWebhook({
      url: channel.url,
      body,
      headers: {
        "content-type": "application/json",
        "user-agent": "Headgate",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
        "webhook-signature": signatures.join(" "),
      },
      isPrivateAllowed: config.webhookAllowPrivate ?? false,
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { status: null, answer: error.message, retryAfter: null } satisfies PostResult;
  }
}

/** The receiver says that it is gone for good; no alert is sent there until somebody switches it on again. */
async function switchOff(ctx: Ctx, { id, name }: { id: string; name: string }): Promise<void> {
  const offWhy = "its receiver answered 410 Gone";
  await inTransaction(ctx.db, async (tx) => {
    const { count } = await tx.webhookChannel.updateMany({
      where: { id, isEnabled: true },
      data: { isEnabled: false, offWhy },
    });
    if (count === 0) return;
    await recordAudit(tx, ctx.actor, {
      action: "webhook.update",
      kind: "webhook",
      objectId: id,
      sentence: `${ctx.actor.name} switched webhook channel ${name} off: ${offWhy}`,
      before: { enabled: true },
      after: { enabled: false },
    });
  });
}
