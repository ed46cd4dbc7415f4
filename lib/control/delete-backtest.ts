import type { BacktestRow } from "@/lib/core/api/backtests";
import { inTransaction } from "@/lib/db/client";
import { backtestRow, getBacktestHead } from "./backtest-row";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";

/** With its result; one that runs stops, too. The log stays. */
export async function deleteBacktest(ctx: Ctx, { id }: { id: string }): Promise<BacktestRow> {
  requirePermission(ctx, "draft");
  return inTransaction(ctx.db, async (tx) => {
    const row = await getBacktestHead(tx, id);
    await tx.backtest.deleteMany({ where: { id } });
    await recordAudit(tx, ctx.actor, {
      action: "backtest.delete",
      kind: "backtest",
      objectId: id,
      sentence: `${ctx.actor.name} deleted backtest ${id}`,
    });
    return backtestRow(row);
  });
}
