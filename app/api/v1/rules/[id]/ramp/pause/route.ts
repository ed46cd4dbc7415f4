import { route } from "@/app/_server/route";
import { pauseRamp } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/ramp/pause", {
  POST: ({ ctx, params, body }) => pauseRamp(ctx, { ...body, ...params }),
});
