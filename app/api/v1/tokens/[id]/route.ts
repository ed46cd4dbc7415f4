import { route } from "@/app/_server/route";
import { revokeApiToken } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/tokens/{id}", {
  DELETE: ({ ctx, params }) => revokeApiToken(ctx, params),
});
