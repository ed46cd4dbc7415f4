import { route } from "@/app/_server/route";
import { endSessions, listSessions } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/people/{id}/sessions", {
  GET: ({ ctx, params }) => listSessions(ctx, params),
  DELETE: ({ ctx, params }) => endSessions(ctx, params),
});
