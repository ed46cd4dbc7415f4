import { route } from "@/app/_server/route";
import { testWebhook } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/webhooks/{id}/test", {
  POST: ({ ctx, params }) => testWebhook(ctx, params),
});
