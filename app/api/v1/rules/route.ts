import { route } from "@/app/_server/route";
import { listRules } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules", {
  GET: ({ ctx, query }) => listRules(ctx, query),
});
