import { route } from "@/app/_server/route";
import { getRuleReport } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/report", {
  GET: ({ ctx, params, query }) => getRuleReport(ctx, { ...query, ...params }),
});
