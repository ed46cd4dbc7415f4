import { route } from "@/app/_server/route";
import { publish } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/publish", {
  POST: ({ ctx, body }) => publish(ctx, body),
});
