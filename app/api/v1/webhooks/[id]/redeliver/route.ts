import { route } from "@/app/_server/route";
import { redeliverWebhook } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/webhooks/{id}/redeliver", {
  POST: ({ ctx, params, body }) => redeliverWebhook(ctx, { ...params, ...body }),
});
