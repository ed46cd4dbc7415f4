import { route } from "@/app/_server/route";
import { approveChangeRequest } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/change-requests/{id}/approve", {
  POST: ({ ctx, params, body }) => approveChangeRequest(ctx, { ...body, ...params }),
});
