import { route } from "@/app/_server/route";
import { getChangeRequest } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/change-requests/{id}", {
  GET: ({ ctx, params }) => getChangeRequest(ctx, params),
});
