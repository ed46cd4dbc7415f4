import { route } from "@/app/_server/route";
import { makePasswordLink } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/people/{id}/password-link", {
  POST: ({ ctx, params }) => makePasswordLink(ctx, params),
});
