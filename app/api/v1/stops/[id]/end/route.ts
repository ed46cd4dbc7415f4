import { route } from "@/app/_server/route";
import { endStop } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/stops/{id}/end", {
  POST: ({ ctx, params, body }) => endStop(ctx, { id: params.id, ...body }),
});
