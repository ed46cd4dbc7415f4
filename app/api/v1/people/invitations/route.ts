import { route } from "@/app/_server/route";
import { invitePerson } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/people/invitations", {
  POST: ({ ctx, body }) => invitePerson(ctx, body),
});
