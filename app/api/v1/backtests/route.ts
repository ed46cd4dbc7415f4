import { route } from "@/app/_server/route";
import { createBacktest, listBacktests } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/backtests", {
  GET: ({ ctx, query }) => listBacktests(ctx, query),
  POST: ({ ctx, body }) => createBacktest(ctx, body),
});
