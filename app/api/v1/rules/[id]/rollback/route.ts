import { route } from "@/app/_server/route";
import { rollbackRule } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/rollback", {
  POST: ({ ctx, params, body }) => rollbackRule(ctx, { ...body, ...params }),
});
