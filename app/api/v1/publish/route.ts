import { orRequested } from "@/app/_server/or-requested";
import { route } from "@/app/_server/route";
import { publish } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/publish", {
  POST: ({ ctx, body }) => orRequested(publish(ctx, body)),
});
