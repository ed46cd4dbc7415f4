import { route } from "@/app/_server/route";
import { createApiToken, listApiTokens } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/tokens", {
  GET: ({ ctx }) => listApiTokens(ctx),
  POST: ({ ctx, body }) => createApiToken(ctx, body),
});
