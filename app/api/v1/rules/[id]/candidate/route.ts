import { orRequested } from "@/app/_server/or-requested";
import { route } from "@/app/_server/route";
import { dropCandidate, tryCandidate } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/candidate", {
  PUT: ({ ctx, params, body }) => orRequested(tryCandidate(ctx, { ...body, ...params })),
  DELETE: ({ ctx, params, query }) => dropCandidate(ctx, { ...query, ...params }),
});
