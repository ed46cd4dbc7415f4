import { route } from "@/app/_server/route";
import { endOverride, getOverride, putOverride } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/overrides/{id}", {
  GET: ({ ctx, params }) => getOverride(ctx, params),
  PUT: ({ ctx, params, body }) => putOverride(ctx, { ...body, ...params }),
  DELETE: ({ ctx, params }) => endOverride(ctx, params),
});
