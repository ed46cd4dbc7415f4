import { route } from "@/app/_server/route";
import { importKeys } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/keys/import", {
  POST: ({ ctx, body }) => importKeys(ctx, body),
});
