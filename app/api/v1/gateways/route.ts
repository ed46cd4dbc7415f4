import { route } from "@/app/_server/route";
import { listGateways } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/gateways", {
  GET: ({ ctx }) => listGateways(ctx),
});
