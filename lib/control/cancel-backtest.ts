import type { BacktestRow } from "@/lib/core/api/backtests";
import { AppError } from "@/lib/core/errors";
import { inTransaction } from "@/lib/db/client";
import { BACKTEST_HEAD, backtestRow, getBacktestHead } from "./backtest-row";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";

/** One that runs is stopped at its next sign of life, within seconds. */
export async function cancelBacktest(ctx: Ctx, { id }: { id: string }): Promise<BacktestRow> {
  requirePermission(ctx, "draft");
  return inTransaction(ctx.db, async (tx) => {
    await tx.$queryRaw`SELECT id FROM backtest WHERE id = ${id} FOR UPDATE`;
    const { state } = await getBacktestHead(tx, id);
    if (state !== "waiting" && state !== "running")
      throw new AppError("conflict", `backtest ${id} is ${state} already`, {
        details: { reason: state },
      });
    const row = await tx.backtest.update({
      where: { id },
      data: { state: "cancelled", doneAt: new Date(ctx.clock.nowMs()) },
      omit: BACKTEST_HEAD,
    });
    await recordAudit(tx, ctx.actor, {
      action: "backtest.cancel",
      kind: "backtest",
      objectId: id,
      sentence: `${ctx.actor.name} cancelled backtest ${id}`,
    });
    return backtestRow(row);
  });
}
