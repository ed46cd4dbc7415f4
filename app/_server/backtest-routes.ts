import {
  BacktestListQuerySchema,
  BacktestListSchema,
  BacktestLogListSchema,
  BacktestLogQuerySchema,
  BacktestLogSchema,
  BacktestRequestSchema,
  BacktestRowSchema,
  BacktestSchema,
} from "@/lib/core/api/backtests";
import { TapeQuerySchema, TapeSchema } from "@/lib/core/api/tape";
import { idParams, type PathTable } from "./operation";
import { input, output } from "./schema-names";

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
  "/backtests": {
    GET: {
      summary: "List backtests, newest first",
      tag: "Backtests",
      scope: "read",
      query: BacktestListQuerySchema,
      status: 200,
      answer: output("BacktestList", BacktestListSchema),
    },
    POST: {
      summary: "Run a ruleset over the tape or an uploaded log",
      description:
        "The ruleset is frozen: what is live or the caller's draft, with `rules` or one `revision` in place of its own. A worker runs it; `GET /backtests/{id}` tells how it stands. Nothing that is live changes.",
      tag: "Backtests",
      scope: "draft",
      body: input("BacktestRequest", BacktestRequestSchema),
      status: 201,
      answer: output("BacktestRow", BacktestRowSchema),
      conflict: { description: "Too many wait already." },
    },
  },
  "/backtests/{id}": {
    GET: {
      summary: "How a backtest stands, and what it found",
      description:
        "`result` is null until `state` is `done`. Figures are of the requests that the source has, never scaled up; `notes` say what they leave open.",
      tag: "Backtests",
      scope: "read",
      params: idParams,
      status: 200,
      answer: output("Backtest", BacktestSchema),
      isNotFoundPossible: true,
    },
    DELETE: {
      summary: "Delete a backtest and its result",
      tag: "Backtests",
      scope: "draft",
      params: idParams,
      status: 200,
      answer: output("BacktestRow", BacktestRowSchema),
      isNotFoundPossible: true,
    },
  },
  "/backtests/{id}/demand": {
    GET: {
      summary: "What was asked of the rule that a backtest is about",
      description:
        "For estimates of other limits without running it again; by tick and bucket, without names of clients. In the console's own binary form, gzip.",
      tag: "Backtests",
      scope: "read",
      params: idParams,
      status: 200,
      media: {
        type: "application/vnd.headgate.demand+gzip",
        description: "Columns of numbers, as lib/core/demand-bytes.ts reads them.",
      },
      isNotFoundPossible: true,
    },
  },
  "/backtests/{id}/cancel": {
    POST: {
      summary: "Stop a backtest that waits or runs",
      tag: "Backtests",
      scope: "draft",
      params: idParams,
      status: 200,
      answer: output("BacktestRow", BacktestRowSchema),
      conflict: { description: "It has ended." },
      isNotFoundPossible: true,
    },
  },
  "/backtest-logs": {
    GET: {
      summary: "List uploaded logs, newest first",
      tag: "Backtests",
      scope: "read",
      status: 200,
      answer: output("BacktestLogList", BacktestLogListSchema),
    },
    POST: {
      summary: "Upload an access log",
      description:
        "The body is the log itself, or a .gz of it, at most 64 MiB as it is sent: combined or common format, JSON lines or an AWS load balancer's. It is kept sealed for 7 days.",
      tag: "Backtests",
      scope: "draft",
      query: BacktestLogQuerySchema,
      status: 201,
      answer: output("BacktestLog", BacktestLogSchema),
      conflict: { description: "All logs together are too large." },
    },
  },
  "/backtest-logs/{id}": {
    DELETE: {
      summary: "Delete an uploaded log",
      tag: "Backtests",
      scope: "draft",
      params: idParams,
      status: 200,
      answer: output("BacktestLog", BacktestLogSchema),
      isNotFoundPossible: true,
    },
  },
} as const satisfies PathTable;
