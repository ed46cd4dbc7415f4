import { route } from "@/app/_server/route";
import { withdrawInvitation } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/people/invitations/{id}", {
  DELETE: ({ ctx, params }) => withdrawInvitation(ctx, params),
});
