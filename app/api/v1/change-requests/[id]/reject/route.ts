import { route } from "@/app/_server/route";
import { rejectChangeRequest } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/change-requests/{id}/reject", {
  POST: ({ ctx, params, body }) => rejectChangeRequest(ctx, { ...body, ...params }),
});
