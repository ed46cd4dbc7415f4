import { orRequested } from "@/app/_server/or-requested";
import { route } from "@/app/_server/route";
import { setRuleMode } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/mode", {
  POST: ({ ctx, params, body }) => orRequested(setRuleMode(ctx, { ...body, ...params })),
});
