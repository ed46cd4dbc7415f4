import { z } from "zod";
import { type BacktestAnswer, BacktestResultSchema } from "@/lib/core/api/backtests";
import { AppError } from "@/lib/core/errors";
import type { Rule } from "@/lib/core/rule";
import { RuleEntrySchema } from "@/lib/core/ruleset";
import type { Prisma } from "@/lib/db/generated/client";
import { backtestRow } from "./backtest-row";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";

/** How it stands, and what it found. */
export async function getBacktest(ctx: Ctx, { id }: { id: string }): Promise<BacktestAnswer> {
  requirePermission(ctx, "read");
  const row = await ctx.db.backtest.findUnique({ where: { id }, omit: { demand: true } });
  if (row === null) throw new AppError("not_found", `there is no backtest ${id}`);
  const head = backtestRow(row);
  return {
    ...head,
    judged: head.rule === null ? null : judgedRule(row.body, head.rule),
    result: row.result === null ? null : BacktestResultSchema.parse(row.result),
  };
}

const BodyRulesSchema = z.object({ rules: z.array(z.unknown()) });

/** Of ten thousand rules only the one: pages ask again and again while it runs. */
function judgedRule(body: Prisma.JsonValue, id: string): Rule | null {
  const { rules } = BodyRulesSchema.parse(body);
  const entry = rules.find((each) => Object(each).id === id);
  return entry === undefined ? null : (RuleEntrySchema.parse(entry).live?.rule ?? null);
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
