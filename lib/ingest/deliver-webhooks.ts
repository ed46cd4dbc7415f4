import { attemptWebhook, CLAIM_SECONDS } from "@/lib/control/attempt-webhook";
import { createWake, runLoop } from "./loop";
import type { WorkerCtx } from "./worker-context";

/** At once to one channel, and no more before all are answered: one that hangs holds only itself up. */
const PER_CHANNEL = 4;

/** Needs Postgres only: alerts go out although Redis is down. */
export async function runDeliverWebhooks(ctx: WorkerCtx, signal: AbortSignal): Promise<void> {
  const deliver = createDeliverer(ctx);
  const wake = createWake();
  const pass = async () => {
    await deliver.pass(() => wake.wake());
  };
  await runLoop(
    { name: "deliver-webhooks", pass, everyMs: ctx.timings.webhooksMs, log: ctx.log, wake },
    signal,
  );
}

/** Each pass starts what is due and does not wait for answers; `settled` does. */
export function createDeliverer(ctx: WorkerCtx) {
  const inFlight = new Map<string, { channelId: string; attempt: Promise<void> }>();

  async function pass(onSettled: () => void = () => {}): Promise<number> {
    const busy = new Set([...inFlight.values()].map(({ channelId }) => channelId));
    const claimed = await claim(ctx, [...busy]);
    for (const { id, channelId } of claimed) {
      const attempt = attemptWebhook(ctx, id)
        .catch((error: unknown) => ctx.log.warn({ error, delivery: id }, "webhook not attempted"))
        .finally(() => {
          inFlight.delete(id);
          onSettled();
        });
      inFlight.set(id, { channelId, attempt });
    }
    return claimed.length;
  }

  return {
    pass,
    settled: async () => {
      await Promise.all([...inFlight.values()].map(({ attempt }) => attempt));
    },
  };
}

/**
 * One of each channel and alert at a time, oldest first: nobody hears that a trouble is over before hearing of it. The claim
 * is the time of the next attempt, so that one whose worker died is tried again.
 */
async function claim(ctx: WorkerCtx, busy: string[]) {
  return ctx.db.$queryRaw<{ id: string; channelId: string }[]>`
    UPDATE webhook_delivery SET attempts = attempts + 1,
      next_at = now() + make_interval(secs => ${CLAIM_SECONDS}::float8)
    WHERE id IN (
      SELECT next.id FROM webhook_channel channel CROSS JOIN LATERAL (
        SELECT due.id FROM webhook_delivery due
        WHERE due.channel_id = channel.id AND due.state = 'waiting' AND due.next_at <= now()
          AND NOT EXISTS (
            SELECT FROM webhook_delivery earlier
            WHERE earlier.channel_id = due.channel_id AND earlier.alert_id = due.alert_id
              AND earlier.state = 'waiting' AND earlier.seq < due.seq)
        ORDER BY due.next_at, due.seq LIMIT ${PER_CHANNEL} FOR UPDATE SKIP LOCKED) next
      WHERE channel.is_enabled AND channel.id <> ALL(${busy}::text[]))
    AND state = 'waiting' AND next_at <= now()
    RETURNING id, channel_id AS "channelId"`;
}
