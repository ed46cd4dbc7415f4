import { route } from "@/app/_server/route";
import { rotateWebhookSecret } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/webhooks/{id}/rotate", {
  POST: ({ ctx, params }) => rotateWebhookSecret(ctx, params),
});
