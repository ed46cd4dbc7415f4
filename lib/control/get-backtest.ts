import { type BacktestAnswer, BacktestResultSchema } from "@/lib/core/api/backtests";
import { AppError } from "@/lib/core/errors";
import { BodySchema } from "@/lib/core/ruleset";
import { backtestRow } from "./backtest-row";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";

/** How it stands, and what it found. */
export async function getBacktest(ctx: Ctx, { id }: { id: string }): Promise<BacktestAnswer> {
  requirePermission(ctx, "read");
  const row = await ctx.db.backtest.findUnique({ where: { id }, omit: { demand: true } });
  if (row === null) throw new AppError("not_found", `there is no backtest ${id}`);
  const head = backtestRow(row);
  const { rules } = BodySchema.parse(row.body);
  return {
    ...head,
    judged: rules.find((entry) => entry.id === head.rule)?.live?.rule ?? null,
    result: row.result === null ? null : BacktestResultSchema.parse(row.result),
  };
}

/** Of the rule that it is about, what was asked of it: encodeDemand, gzip. Throws `not_found` until it is done. */
export async function getBacktestDemand(ctx: Ctx, { id }: { id: string }): Promise<Uint8Array> {
  requirePermission(ctx, "read");
  const row = await ctx.db.backtest.findUnique({ where: { id }, select: { demand: true } });
  if (row === null) throw new AppError("not_found", `there is no backtest ${id}`);
  if (row.demand !== null) return row.demand;
  throw new AppError(
    "not_found",
    `backtest ${id} has no demand: it is not done, is about no rule, or its rule is not judged`,
  );
}
