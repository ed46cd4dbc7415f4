import { route } from "@/app/_server/route";
import { listAlerts } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/alerts", {
  GET: ({ ctx, query }) => listAlerts(ctx, query),
});
