import { route } from "@/app/_server/route";
import { withdrawChangeRequest } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/change-requests/{id}/withdraw", {
  POST: ({ ctx, params }) => withdrawChangeRequest(ctx, params),
});
