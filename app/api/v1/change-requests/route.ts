import { route } from "@/app/_server/route";
import { listChangeRequests } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/change-requests", {
  GET: ({ ctx, query }) => listChangeRequests(ctx, query),
});
