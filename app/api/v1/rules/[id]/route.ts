import { route } from "@/app/_server/route";
import { getRule } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}", {
  GET: ({ ctx, params }) => getRule(ctx, params),
});
