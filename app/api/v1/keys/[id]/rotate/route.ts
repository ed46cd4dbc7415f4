import { route } from "@/app/_server/route";
import { rotateKey } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/keys/{id}/rotate", {
  POST: ({ ctx, params, body }) => rotateKey(ctx, { ...body, ...params }),
});
