import type { z } from "zod";
import { BacktestRequestSchema, type BacktestRow } from "@/lib/core/api/backtests";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction, type Tx } from "@/lib/db/client";
import { jsonColumn } from "@/lib/db/json";
import { backtestBody } from "./backtest-body";
import { BACKTESTS_WAITING_MAX } from "./backtest-kept";
import { BACKTEST_HEAD, backtestRow } from "./backtest-row";
import { actorName, type Ctx } from "./context";
import { requirePermission } from "./permission";
import { randomId } from "./random-id";
import { recordAudit } from "./record-audit";
import { reportRange } from "./report-range";

/** Freezes the ruleset and waits for a worker to run it. */
export async function createBacktest(
  ctx: Ctx,
  input: z.input<typeof BacktestRequestSchema>,
): Promise<BacktestRow> {
  requirePermission(ctx, "draft");
  const asked = parseInput(BacktestRequestSchema, input, "the backtest");
  const nowMs = ctx.clock.nowMs();
  const request = { ...asked, source: sourceOf(asked.source, nowMs) };
  return inTransaction(ctx.db, async (tx) => {
    await requireRoom(tx);
    const { body, base } = await backtestBody(ctx, tx, request);
    const log = request.source.kind === "log" ? await logOf(tx, request.source.log) : null;
    const id = randomId();
    const row = await tx.backtest.create({
      data: {
        id,
        actor: jsonColumn(actorName(ctx.actor)),
        request: jsonColumn(request),
        body: jsonColumn(body),
        version: base.version,
        logId: log?.id ?? null,
        logName: log?.name ?? null,
        createdAt: new Date(nowMs),
      },
      omit: BACKTEST_HEAD,
    });
    const { rule, ruleset } = request;
    await recordAudit(tx, ctx.actor, {
      action: "backtest.create",
      kind: "backtest",
      objectId: id,
      sentence: `${ctx.actor.name} asked for a backtest of ${rule === undefined ? "" : `rule ${rule} in `}the ${ruleset} ruleset on ${log === null ? "the tape" : log.name}`,
      details: { source: request.source, speed: request.speed, version: base.version },
    });
    return backtestRow(row);
  });
}

type Source = z.output<typeof BacktestRequestSchema>["source"];

/** The tape's interval as it is now, so that a run later means the same. */
function sourceOf(source: Source, nowMs: number): Source {
  if (source.kind === "log") return source;
  const { fromMs, toMs } = reportRange(source, nowMs);
  return {
    kind: "tape",
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
  };
}

async function requireRoom(tx: Tx): Promise<void> {
  const waiting = await tx.backtest.count({ where: { state: { in: ["waiting", "running"] } } });
  if (waiting < BACKTESTS_WAITING_MAX) return;
  throw new AppError(
    "conflict",
    `${waiting} backtests wait already, at most ${BACKTESTS_WAITING_MAX} may: cancel one, or try again when one has ended`,
    { details: { reason: "busy" } },
  );
}

async function logOf(tx: Tx, id: string): Promise<{ id: string; name: string }> {
  const log = await tx.backtestLog.findUnique({ where: { id } });
  const why =
    log === null
      ? `there is no log ${id}: it was deleted, or never uploaded`
      : log.completeAt === null
        ? `log ${log.name} is not uploaded to its end`
        : null;
  if (log !== null && why === null) return log;
  const message = why ?? "";
  throw new AppError("invalid", message, { errors: [{ path: "source.log", message }] });
}
