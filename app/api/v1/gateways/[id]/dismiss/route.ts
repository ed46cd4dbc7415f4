import { route } from "@/app/_server/route";
import { dismissGateway } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/gateways/{id}/dismiss", {
  POST: ({ ctx, params, body }) => dismissGateway(ctx, { ...body, ...params }),
});
