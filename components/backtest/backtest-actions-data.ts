import type { z } from "zod";
import type { Action } from "@/components/ui/action-result";
import type { BacktestLogRow, BacktestRequestSchema, BacktestRow } from "@/lib/core/api/backtests";

export type CreateBacktest = Action<z.input<typeof BacktestRequestSchema>, BacktestRow>;

export type EndBacktest = Action<{ id: string }, BacktestRow>;

/** A log goes in parts, each well under what a server takes of a form. */
export type LogActions = {
  begin: Action<{ name: string }, BacktestLogRow>;
  add: Action<{ id: string; n: number; base64: string }, BacktestLogRow>;
  end: Action<{ id: string }, BacktestLogRow>;
};

export type DeleteLog = Action<{ id: string }, BacktestLogRow>;

/** `isChanged`: the draft has it now; false: it is as the live version has it. */
export type UseLimit = Action<{ rule: string; limit: unknown }, { isChanged: boolean }>;
