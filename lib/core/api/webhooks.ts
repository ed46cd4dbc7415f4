import { z } from "zod";
import { ALERT_KINDS, SEVERITIES } from "../alert";
import { flag, oneOf, shown, textLine } from "../parse";
import { InstantSchema, listOf } from "./common";

export const WEBHOOK_FORMATS = ["json", "slack"] as const;
const EVENTS = ["alert.raised", "alert.resolved", "alert.acknowledged", "test"] as const;

const URL_MAX = 2000;

const WebhookUrlSchema = z
  .string({ error: (issue) => `url must be text, got ${shown(issue.input)}` })
  .trim()
  .max(URL_MAX, { error: `url must have at most ${URL_MAX} characters` })
  .refine(isHttpUrl, {
    error: "url must be an address http://… or https://… without user and fragment",
  });

const kinds = z
  .array(oneOf("kinds", ALERT_KINDS), { error: "kinds must be a list of alert kinds" })
  .transform((given) => ALERT_KINDS.filter((kind) => given.includes(kind)));
const severities = z
  .array(oneOf("severities", SEVERITIES), { error: "severities must be a list of severities" })
  .transform((given) => SEVERITIES.filter((severity) => given.includes(severity)));

export const WebhookCreateRequestSchema = z.strictObject({
  name: textLine("name", 120),
  url: WebhookUrlSchema,
  format: oneOf("format", WEBHOOK_FORMATS).default("json"),
  /** Empty: all. */
  kinds: kinds.default([]),
  severities: severities.default([]),
});

/** What is absent stays. */
export const WebhookPatchSchema = z.strictObject({
  name: textLine("name", 120).optional(),
  url: WebhookUrlSchema.optional(),
  format: oneOf("format", WEBHOOK_FORMATS).optional(),
  kinds: kinds.optional(),
  severities: severities.optional(),
  enabled: flag("enabled").optional(),
});

export const WebhookRedeliverRequestSchema = z.strictObject({
  /** A delivery's id. */
  delivery: textLine("delivery", 100),
});

export const WebhookDeliverySchema = z.object({
  /** The `webhook-id` header, the same at every attempt. */
  id: z.string(),
  event: z.enum(EVENTS),
  alertId: z.string().nullable(),
  /** The alert's message as it was then. */
  message: z.string(),
  state: z.enum(["waiting", "delivered", "failed"]),
  attempts: z.int().min(0),
  createdAt: InstantSchema,
  /** Of one that waits: when it is tried (again). */
  nextAt: InstantSchema.nullable(),
  lastAt: InstantSchema.nullable(),
  /** HTTP status of the last answer; null when there was none. */
  lastStatus: z.int().nullable(),
  /** The beginning of the answer, or why there was none. */
  lastAnswer: z.string().nullable(),
});

export const WebhookRowSchema = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  format: z.enum(WEBHOOK_FORMATS),
  kinds: z.array(z.string()),
  severities: z.array(z.string()),
  enabled: z.boolean(),
  /** Why Headgate switched it off itself. */
  offWhy: z.string().nullable(),
  /** Until then messages are signed with the secret before the last rotation, too. */
  earlierSecretUntil: InstantSchema.nullable(),
  createdAt: InstantSchema,
  createdBy: z.string(),
  waiting: z.int().min(0),
  /** The last ones, newest first. */
  deliveries: z.array(WebhookDeliverySchema),
});

/** The secret itself is in this answer only. */
export const WebhookSecretSchema = z.object({ id: z.string(), secret: z.string() });
export const WebhookListSchema = listOf(WebhookRowSchema);

export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];
export type WebhookDeliveryRow = z.output<typeof WebhookDeliverySchema>;
export type WebhookRow = z.output<typeof WebhookRowSchema>;
export type WebhookSecret = z.output<typeof WebhookSecretSchema>;
export type WebhookList = z.output<typeof WebhookListSchema>;

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "" && hash === "";
}
