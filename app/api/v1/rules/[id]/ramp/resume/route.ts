import { route } from "@/app/_server/route";
import { resumeRamp } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/ramp/resume", {
  POST: ({ ctx, params, body }) => resumeRamp(ctx, { ...body, ...params }),
});
