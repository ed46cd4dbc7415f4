import { route } from "@/app/_server/route";
import { listOverrides } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/overrides", {
  GET: ({ ctx, query }) => listOverrides(ctx, query),
});
