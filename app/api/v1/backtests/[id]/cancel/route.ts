import { route } from "@/app/_server/route";
import { cancelBacktest } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/backtests/{id}/cancel", {
  POST: ({ ctx, params }) => cancelBacktest(ctx, params),
});
