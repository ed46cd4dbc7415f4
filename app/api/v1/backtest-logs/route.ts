import { route } from "@/app/_server/route";
import { listBacktestLogs, uploadLog } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/backtest-logs", {
  GET: ({ ctx }) => listBacktestLogs(ctx),
  POST: ({ ctx, query, request }) => uploadLog(ctx, { ...query, body: request.body }),
});
