import { z } from "zod";
import {
  WebhookCreateRequestSchema,
  WebhookDeliverySchema,
  WebhookListSchema,
  WebhookPatchSchema,
  WebhookRedeliverRequestSchema,
  WebhookRowSchema,
  WebhookSecretSchema,
} from "@/lib/core/api/webhooks";
import { idParams, type PathTable } from "./operation";
import { input, output } from "./schema-names";

const row = output("Webhook", WebhookRowSchema);
const delivery = output("WebhookDelivery", WebhookDeliverySchema);

/** Where alerts are sent. */
export const WEBHOOK_ROUTES = {
  "/webhooks": {
    GET: {
      summary: "List webhook channels, each with its last deliveries",
      tag: "Log",
      scope: "webhooks",
      status: 200,
      answer: output("WebhookList", WebhookListSchema),
    },
    POST: {
      summary: "Make a webhook channel",
      description:
        "Its secret is in this answer only. Alerts raised, acknowledged and resolved are sent, signed by the Standard Webhooks scheme.",
      tag: "Log",
      scope: "webhooks",
      body: input("WebhookCreateRequest", WebhookCreateRequestSchema),
      status: 201,
      secrets: ["secret"],
      answer: output("WebhookCreated", WebhookRowSchema.extend({ secret: z.string().optional() })),
      conflict: { description: "There are as many channels as there may be." },
    },
  },
  "/webhooks/{id}": {
    PATCH: {
      summary: "Change a webhook channel, switch it off or on",
      tag: "Log",
      scope: "webhooks",
      params: idParams,
      body: input("WebhookPatch", WebhookPatchSchema),
      status: 200,
      answer: row,
      isNotFoundPossible: true,
    },
    DELETE: {
      summary: "Delete a webhook channel, with its log",
      tag: "Log",
      scope: "webhooks",
      params: idParams,
      status: 200,
      answer: row,
      isNotFoundPossible: true,
    },
  },
  "/webhooks/{id}/rotate": {
    POST: {
      summary: "Give a webhook channel a new secret",
      description:
        "The secret is in this answer only. For a day messages are signed with the earlier one, too.",
      tag: "Log",
      scope: "webhooks",
      params: idParams,
      status: 200,
      secrets: ["secret"],
      answer: output("WebhookSecret", WebhookSecretSchema.partial({ secret: true })),
      isNotFoundPossible: true,
    },
  },
  "/webhooks/{id}/test": {
    POST: {
      summary: "Send a test now, and say what the receiver answered",
      tag: "Log",
      scope: "webhooks",
      params: idParams,
      status: 200,
      answer: delivery,
      isNotFoundPossible: true,
    },
  },
  "/webhooks/{id}/redeliver": {
    POST: {
      summary: "Send a delivery again, under the same id",
      tag: "Log",
      scope: "webhooks",
      params: idParams,
      body: input("WebhookRedeliverRequest", WebhookRedeliverRequestSchema),
      status: 200,
      answer: delivery,
      isNotFoundPossible: true,
      conflict: { description: "The channel is switched off." },
    },
  },
} as const satisfies PathTable;
