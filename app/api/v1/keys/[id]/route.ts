import { route } from "@/app/_server/route";
import { revokeKey, updateKey } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/keys/{id}", {
  PATCH: ({ ctx, params, body }) => updateKey(ctx, { ...body, ...params }),
  DELETE: ({ ctx, params }) => revokeKey(ctx, params),
});
