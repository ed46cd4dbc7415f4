import { route } from "@/app/_server/route";
import { getTape } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/tape", {
  GET: ({ ctx, query }) => getTape(ctx, query),
});
