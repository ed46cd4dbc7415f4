import { route } from "@/app/_server/route";
import { getKey, revokeKey, updateKey } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/keys/{id}", {
  GET: ({ ctx, params }) => getKey(ctx, params),
  PATCH: ({ ctx, params, body }) => updateKey(ctx, { ...body, ...params }),
  DELETE: ({ ctx, params }) => revokeKey(ctx, params),
});
