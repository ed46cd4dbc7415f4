import { type BacktestAnswer, BacktestResultSchema } from "@/lib/core/api/backtests";
import { AppError } from "@/lib/core/errors";
import { BodySchema } from "@/lib/core/ruleset";
import { backtestRow } from "./backtest-row";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";

/** How it stands, and what it found. */
export async function getBacktest(ctx: Ctx, { id }: { id: string }): Promise<BacktestAnswer> {
  requirePermission(ctx, "read");
  const row = await ctx.db.backtest.findUnique({ where: { id } });
  if (row === null) throw new AppError("not_found", `there is no backtest ${id}`);
  const head = backtestRow(row);
  const { rules } = BodySchema.parse(row.body);
  return {
    ...head,
    judged: rules.find((entry) => entry.id === head.rule)?.live?.rule ?? null,
    result: row.result === null ? null : BacktestResultSchema.parse(row.result),
  };
}
