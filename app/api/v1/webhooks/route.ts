import { route } from "@/app/_server/route";
import { createWebhook, listWebhooks } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/webhooks", {
  GET: ({ ctx }) => listWebhooks(ctx),
  POST: ({ ctx, body }) => createWebhook(ctx, body),
});
