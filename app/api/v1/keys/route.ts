import { route } from "@/app/_server/route";
import { createKey, listKeys } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/keys", {
  GET: ({ ctx, query }) => listKeys(ctx, query),
  POST: ({ ctx, body }) => createKey(ctx, body),
});
