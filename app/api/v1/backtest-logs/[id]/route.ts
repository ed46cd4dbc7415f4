import { route } from "@/app/_server/route";
import { deleteBacktestLog } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/backtest-logs/{id}", {
  DELETE: ({ ctx, params }) => deleteBacktestLog(ctx, params),
});
