import type { WebhookDeliveryRow, WebhookRow } from "@/lib/core/api/webhooks";
import { WebhookDeliverySchema, WebhookRowSchema } from "@/lib/core/api/webhooks";
import { AppError } from "@/lib/core/errors";
import type { Reader } from "@/lib/db/client";
import type { Prisma } from "@/lib/db/generated/client";
import { ToldAlertSchema } from "./webhook-body";

/** Of a channel's log as many as people look through. */
const DELIVERIES = 20;

export async function webhookRows(
  reader: Reader,
  where: Prisma.WebhookChannelWhereInput,
): Promise<WebhookRow[]> {
  const rows = await reader.webhookChannel.findMany({
    where,
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    include: {
      deliveries: { orderBy: { seq: "desc" }, take: DELIVERIES },
      _count: { select: { deliveries: { where: { state: "waiting" } } } },
    },
  });
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    url: row.url,
    format: WebhookRowSchema.shape.format.parse(row.format),
    kinds: row.kinds,
    severities: row.severities,
    enabled: row.isEnabled,
    offWhy: row.offWhy,
    earlierSecretUntil: row.earlierUntil?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    createdBy: row.createdBy,
    waiting: row._count.deliveries,
    deliveries: row.deliveries.map(deliveryRow),
  }));
}

export async function getWebhookRow(reader: Reader, id: string): Promise<WebhookRow> {
  const [row] = await webhookRows(reader, { id });
  if (row === undefined) throw new AppError("not_found", `there is no webhook channel ${id}`);
  return row;
}

export function deliveryRow(row: Prisma.WebhookDeliveryGetPayload<object>): WebhookDeliveryRow {
  const { event, state } = WebhookDeliverySchema.pick({ event: true, state: true }).parse(row);
  return {
    id: row.id,
    event,
    state,
    alertId: row.alertId,
    message: ToldAlertSchema.parse(row.alert).message,
    attempts: row.attempts,
    createdAt: row.createdAt.toISOString(),
    nextAt: state === "waiting" ? row.nextAt.toISOString() : null,
    lastAt: row.lastAt?.toISOString() ?? null,
    lastStatus: row.lastStatus,
    lastAnswer: row.lastAnswer,
  };
}

/** As the audit has it: the rest of the address may be a password, as Slack's are. */
export function audited({ name, url, format, kinds, severities, enabled }: Audited) {
  return { name, url: `${new URL(url).origin}/…`, format, kinds, severities, enabled };
}

type Audited = Pick<WebhookRow, "name" | "url" | "format" | "kinds" | "severities" | "enabled">;
