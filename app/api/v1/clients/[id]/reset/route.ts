import { route } from "@/app/_server/route";
import { resetClient } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/clients/{id}/reset", {
  POST: ({ ctx, params, body }) => resetClient(ctx, { ...body, ...params }),
});
