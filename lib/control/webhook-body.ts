import { z } from "zod";
import type { WebhookFormat } from "@/lib/core/api/webhooks";

/** An alert as the trigger kept it: a row of Postgres as JSON. */
export const ToldAlertSchema = z.object({
  id: z.string(),
  kind: z.string(),
  subject: z.string(),
  severity: z.string(),
  message: z.string(),
  raised_at: z.string(),
  resolved_at: z.string().nullable(),
  acknowledged_at: z.string().nullable(),
  acknowledged_by: z.string().nullable(),
});

type Told = {
  event: string;
  alert: z.output<typeof ToldAlertSchema>;
  createdAt: Date;
  environment: string;
  /** Of the console; absent where nobody said it. */
  publicUrl?: string | undefined;
};

/** The bytes that are sent and signed. */
export function webhookBody(format: WebhookFormat, told: Told): string {
  return JSON.stringify(format === "slack" ? slackBody(told) : jsonBody(told));
}

function jsonBody({ event, alert, createdAt, environment, publicUrl }: Told) {
  const { raised_at, resolved_at, acknowledged_at, acknowledged_by, ...rest } = alert;
  return {
    type: event,
    timestamp: createdAt.toISOString(),
    data: {
      ...rest,
      environment,
      raisedAt: instant(raised_at),
      resolvedAt: instant(resolved_at),
      acknowledgedAt: instant(acknowledged_at),
      acknowledgedBy: acknowledged_by,
      ...(publicUrl === undefined ? {} : { url: `${publicUrl}/alerts` }),
    },
  };
}

function slackBody({ event, alert, environment, publicUrl }: Told) {
  const lead: Record<string, string> = {
    "alert.raised": alert.severity === "critical" ? ":red_circle: Critical" : ":warning: Warning",
    "alert.resolved": ":white_check_mark: Over",
    "alert.acknowledged": `:eyes: ${alert.acknowledged_by ?? "Somebody"} looks after it`,
    test: ":wave: Test",
  };
  const link = publicUrl === undefined ? "" : ` <${publicUrl}/alerts|Open alerts>`;
  const text = `${lead[event] ?? event} (${environment}): ${alert.message}`;
  return { text: `${escaped(text)}${link}` };
}

/** Slack reads these three as markup: nobody may mention a channel by the name of a rule. */
function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function instant(text: string): string;
function instant(text: string | null): string | null;
function instant(text: string | null): string | null {
  return text === null ? null : new Date(text).toISOString();
}
