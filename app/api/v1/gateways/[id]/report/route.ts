import { route } from "@/app/_server/route";
import { reportGateway } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/gateways/{id}/report", {
  POST: ({ ctx, params, body }) => reportGateway(ctx, { ...body, ...params }),
});
