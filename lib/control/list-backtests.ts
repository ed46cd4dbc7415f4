import type { z } from "zod";
import { type BacktestList, BacktestListQuerySchema } from "@/lib/core/api/backtests";
import { parseInput } from "@/lib/core/parse";
import { BACKTEST_HEAD, backtestRow } from "./backtest-row";
import type { Ctx } from "./context";
import { cursorDate, decodeCursor, pageOf } from "./cursor";
import { requirePermission } from "./permission";

/** Newest first, without results. */
export async function listBacktests(
  ctx: Ctx,
  input: z.input<typeof BacktestListQuerySchema> = {},
): Promise<BacktestList> {
  requirePermission(ctx, "read");
  const { limit, cursor, rule } = parseInput(BacktestListQuerySchema, input, "the query");
  const ofRule = rule === undefined ? {} : { request: { path: ["rule"], equals: rule } };
  const rows = await ctx.db.backtest.findMany({
    where: { AND: [ofRule, afterCursor(cursor)] },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    take: limit + 1,
    omit: BACKTEST_HEAD,
  });
  const page = pageOf(rows, limit, (row) => [row.createdAt.getTime(), row.id]);
  return {
    items: page.rows.map(backtestRow),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

function afterCursor(cursor: string | undefined) {
  if (cursor === undefined) return {};
  const [at, id = ""] = decodeCursor(cursor, 2);
  const createdAt = cursorDate(at);
  return { OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }] };
}
