import {
  BACKTEST_STATES,
  type BacktestLogRow,
  BacktestRequestSchema,
  type BacktestRow,
} from "@/lib/core/api/backtests";
import { AppError } from "@/lib/core/errors";
import type { Reader } from "@/lib/db/client";
import type { Backtest, BacktestLog } from "@/lib/db/generated/client";
import { actorColumn } from "@/lib/db/json";
import { BACKTEST_KEPT_MS, BACKTEST_LOG_KEPT_MS } from "./backtest-kept";

/** Without the ruleset and the result, which may be large. */
export const BACKTEST_HEAD = { body: true, result: true, demand: true } as const;

type BacktestHead = Omit<Backtest, keyof typeof BACKTEST_HEAD>;

export function backtestRow(row: BacktestHead): BacktestRow {
  const request = BacktestRequestSchema.parse(row.request);
  const { source } = request;
  return {
    id: row.id,
    name: request.name ?? nameOf(request),
    state: BACKTEST_STATES.find((state) => state === row.state) ?? "failed",
    ruleset: request.ruleset,
    version: row.version,
    rule: request.rule ?? null,
    revision: request.revision ?? null,
    replaced: (request.rules ?? []).map(({ id }) => id),
    source:
      source.kind === "tape"
        ? { kind: "tape", from: source.from ?? "", to: source.to ?? "" }
        : { kind: "log", log: source.log, name: row.logName ?? source.log },
    speed: request.speed,
    actor: actorColumn(row.actor),
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    doneAt: row.doneAt?.toISOString() ?? null,
    progress: row.progress / 1000,
    requests: row.requests,
    error: row.error,
    expiresAt: new Date(row.createdAt.getTime() + BACKTEST_KEPT_MS).toISOString(),
  };
}

function nameOf({ rule, ruleset }: { rule?: string | undefined; ruleset: string }): string {
  return rule === undefined ? `the ${ruleset} ruleset` : rule;
}

export async function getBacktestHead(reader: Reader, id: string): Promise<BacktestHead> {
  const row = await reader.backtest.findUnique({ where: { id }, omit: BACKTEST_HEAD });
  if (row === null) throw new AppError("not_found", `there is no backtest ${id}`);
  return row;
}

export function backtestLogRow(row: BacktestLog): BacktestLogRow {
  return {
    id: row.id,
    name: row.name,
    size: row.size,
    complete: row.completeAt !== null,
    actor: actorColumn(row.actor),
    createdAt: row.createdAt.toISOString(),
    expiresAt: new Date(row.createdAt.getTime() + BACKTEST_LOG_KEPT_MS).toISOString(),
  };
}
