import { route } from "@/app/_server/route";
import { getEnforcePreview } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/enforce-preview", {
  GET: ({ ctx, params }) => getEnforcePreview(ctx, params),
});
