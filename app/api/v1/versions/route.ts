import { route } from "@/app/_server/route";
import { listVersions } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/versions", {
  GET: ({ ctx, query }) => listVersions(ctx, query),
});
