import { route } from "@/app/_server/route";
import { cancelRamp, getRamp, startRamp } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/ramp", {
  GET: ({ ctx, params }) => getRamp(ctx, params),
  POST: ({ ctx, params, body }) => startRamp(ctx, { ...body, ...params }),
  DELETE: ({ ctx, params, query }) => cancelRamp(ctx, { ...query, ...params }),
});
