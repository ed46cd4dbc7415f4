import { route } from "@/app/_server/route";
import { endEnforcementWatch } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/enforcement/end", {
  POST: ({ ctx, params, body }) => endEnforcementWatch(ctx, { ...body, ...params }),
});
