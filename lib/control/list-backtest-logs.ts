import type { BacktestLogRow } from "@/lib/core/api/backtests";
import { AppError } from "@/lib/core/errors";
import { inTransaction } from "@/lib/db/client";
import { backtestLogRow } from "./backtest-row";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";

const SHOWN_MAX = 200;

/** Uploaded to their end, newest first. */
export async function listBacktestLogs(ctx: Ctx): Promise<{ items: BacktestLogRow[] }> {
  requirePermission(ctx, "read");
  const rows = await ctx.db.backtestLog.findMany({
    where: { completeAt: { not: null } },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    take: SHOWN_MAX,
  });
  return { items: rows.map(backtestLogRow) };
}

/** Results of backtests on it stay; one that waits for it fails. */
export async function deleteBacktestLog(ctx: Ctx, { id }: { id: string }): Promise<BacktestLogRow> {
  requirePermission(ctx, "draft");
  return inTransaction(ctx.db, async (tx) => {
    const log = await tx.backtestLog.findUnique({ where: { id } });
    if (log === null) throw new AppError("not_found", `there is no log ${id}`);
    await tx.backtestLog.deleteMany({ where: { id } });
    await recordAudit(tx, ctx.actor, {
      action: "backtest.delete-log",
      kind: "backtest",
      objectId: id,
      sentence: `${ctx.actor.name} deleted the uploaded log ${log.name}`,
    });
    return backtestLogRow(log);
  });
}
