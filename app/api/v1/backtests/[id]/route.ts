import { route } from "@/app/_server/route";
import { deleteBacktest, getBacktest } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/backtests/{id}", {
  GET: ({ ctx, params }) => getBacktest(ctx, params),
  DELETE: ({ ctx, params }) => deleteBacktest(ctx, params),
});
