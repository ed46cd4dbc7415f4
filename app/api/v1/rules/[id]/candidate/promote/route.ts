import { orRequested } from "@/app/_server/or-requested";
import { route } from "@/app/_server/route";
import { promoteCandidate } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/candidate/promote", {
  POST: ({ ctx, params, body }) => orRequested(promoteCandidate(ctx, { ...body, ...params })),
});
