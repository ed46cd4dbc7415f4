import { TapeQuerySchema, TapeSchema } from "@/lib/core/api/tape";
import type { PathTable } from "./operation";
import { output } from "./schema-names";

/** What was recorded, and what a ruleset would have refused of it. */
export const BACKTEST_ROUTES = {
  "/tape": {
    GET: {
      summary: "What gateways recorded in an interval, and of how many clients",
      description:
        "A sample of whole clients, kept for backtests while settings say `tape.enabled`. No key, no query string, no path but its route.",
      tag: "Backtests",
      scope: "read",
      query: TapeQuerySchema,
      status: 200,
      answer: output("Tape", TapeSchema),
    },
  },
} as const satisfies PathTable;
