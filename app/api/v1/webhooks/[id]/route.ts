import { route } from "@/app/_server/route";
import { deleteWebhook, updateWebhook } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/webhooks/{id}", {
  PATCH: ({ ctx, params, body }) => updateWebhook(ctx, { ...params, ...body }),
  DELETE: ({ ctx, params }) => deleteWebhook(ctx, params),
});
