import { route } from "@/app/_server/route";
import { listHits } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/hits", {
  GET: ({ ctx, params, query }) => listHits(ctx, { ...query, ...params }),
});
