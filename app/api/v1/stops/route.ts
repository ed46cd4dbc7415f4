import { route } from "@/app/_server/route";
import { listStops, stopEnforcing } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/stops", {
  GET: ({ ctx, query }) => listStops(ctx, query),
  POST: ({ ctx, body }) => stopEnforcing(ctx, body),
});
