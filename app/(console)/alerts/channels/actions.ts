"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import {
  createWebhook,
  deleteWebhook,
  redeliverWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from "@/lib/control";
import { WebhookCreateRequestSchema, WebhookPatchSchema } from "@/lib/core/api/webhooks";

const id = z.string().min(1).max(100);

export const createWebhookAction = consoleAction(WebhookCreateRequestSchema, (ctx, input) =>
  createWebhook(ctx, input),
);

export const changeWebhookAction = consoleAction(
  WebhookPatchSchema.omit({ enabled: true }).extend({ id }),
  (ctx, input) => updateWebhook(ctx, input),
);

export const switchWebhookAction = consoleAction(
  z.strictObject({ id, enabled: z.boolean() }),
  (ctx, input) => updateWebhook(ctx, input),
);

export const deleteWebhookAction = consoleAction(z.strictObject({ id }), (ctx, input) =>
  deleteWebhook(ctx, input),
);

export const rotateWebhookAction = consoleAction(z.strictObject({ id }), (ctx, input) =>
  rotateWebhookSecret(ctx, input),
);

export const testWebhookAction = consoleAction(z.strictObject({ id }), (ctx, input) =>
  testWebhook(ctx, input),
);

export const redeliverAction = consoleAction(z.strictObject({ id, delivery: id }), (ctx, input) =>
  redeliverWebhook(ctx, input),
);
