import { route } from "@/app/_server/route";
import { getEnforcement, setGuardrail } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/rules/{id}/enforcement", {
  GET: ({ ctx, params }) => getEnforcement(ctx, params),
  PUT: ({ ctx, params, body }) => setGuardrail(ctx, { ...body, ...params }),
});
