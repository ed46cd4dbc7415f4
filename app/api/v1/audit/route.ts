import { route } from "@/app/_server/route";
import { listAudit } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/audit", {
  GET: ({ ctx, query }) => listAudit(ctx, query),
});
