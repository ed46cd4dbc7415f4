import { route } from "@/app/_server/route";
import { getCandidateReport } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/candidate/report", {
  GET: ({ ctx, params, query }) => getCandidateReport(ctx, { ...query, ...params }),
});
