import { route } from "@/app/_server/route";
import { acknowledgeAlert } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/alerts/{id}/acknowledge", {
  POST: ({ ctx, params }) => acknowledgeAlert(ctx, params),
});
