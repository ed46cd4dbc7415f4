import type { z } from "zod";
import {
  BacktestLogQuerySchema,
  type BacktestLogRow,
  LOG_BYTES_MAX,
  LOG_PART_MAX,
} from "@/lib/core/api/backtests";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction, type Tx } from "@/lib/db/client";
import type { BacktestLog } from "@/lib/db/generated/client";
import { jsonColumn } from "@/lib/db/json";
import { BACKTEST_LOGS_MAX } from "./backtest-kept";
import { backtestLogRow } from "./backtest-row";
import { actorName, type Ctx } from "./context";
import { draftOwner } from "./draft-owner";
import { requirePermission } from "./permission";
import { randomId } from "./random-id";
import { recordAudit } from "./record-audit";
import { sealBytes } from "./seal-bytes";

/** A log in one stream, as the API takes it. */
export async function uploadLog(
  ctx: Ctx,
  {
    body,
    ...query
  }: z.input<typeof BacktestLogQuerySchema> & { body: ReadableStream<Uint8Array> | null },
): Promise<BacktestLogRow> {
  const { id } = await beginLog(ctx, query);
  let pending: Uint8Array[] = [];
  let length = 0;
  let n = 0;
  const put = async () => {
    await addLogPart(ctx, { id, n, bytes: Buffer.concat(pending) });
    n += 1;
    pending = [];
    length = 0;
  };
  try {
    const reader = body?.getReader();
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done || value === undefined) break;
      for (let at = 0; at < value.length; ) {
        const piece = value.subarray(at, at + LOG_PART_MAX - length);
        pending.push(piece);
        length += piece.length;
        at += piece.length;
        if (length === LOG_PART_MAX) await put();
      }
    }
    if (length > 0) await put();
    return await endLog(ctx, { id });
  } catch (error) {
    await ctx.db.backtestLog.deleteMany({ where: { id } });
    throw error;
  }
}

/** An upload in parts, as the console sends it: begin, each part in turn, end. */
export async function beginLog(
  ctx: Ctx,
  input: z.input<typeof BacktestLogQuerySchema>,
): Promise<BacktestLogRow> {
  requirePermission(ctx, "draft");
  const { name } = parseInput(BacktestLogQuerySchema, input, "the log");
  const row = await ctx.db.backtestLog.create({
    data: {
      id: randomId(),
      name,
      actor: jsonColumn(actorName(ctx.actor)),
      createdAt: new Date(ctx.clock.nowMs()),
    },
  });
  return backtestLogRow(row);
}

/** Parts are numbered from 0; one that comes again changes nothing. */
export async function addLogPart(
  ctx: Ctx,
  { id, n, bytes }: { id: string; n: number; bytes: Uint8Array },
): Promise<BacktestLogRow> {
  requirePermission(ctx, "draft");
  if (bytes.length === 0 || bytes.length > LOG_PART_MAX)
    throw new AppError(
      "invalid",
      `a part of a log must have 1..${LOG_PART_MAX} bytes, got ${bytes.length}`,
    );
  return inTransaction(ctx.db, async (tx) => {
    const log = await lockLog(ctx, tx, id);
    if (n < log.parts) return backtestLogRow(log);
    if (n !== log.parts)
      throw new AppError("invalid", `the next part of ${log.name} is ${log.parts}, got ${n}`);
    const size = log.size + bytes.length;
    if (size > LOG_BYTES_MAX)
      throw new AppError(
        "invalid",
        `a log may have at most ${LOG_BYTES_MAX / 2 ** 20} MiB, compressed or not, and ${log.name} has more: send a .gz of it, or of a part of it`,
      );
    await requireSpace(tx, bytes.length);
    const sealed = sealBytes(ctx, bytes, `${id} ${n}`);
    await tx.backtestLogPart.create({ data: { logId: id, n, bytes: new Uint8Array(sealed) } });
    return backtestLogRow(
      await tx.backtestLog.update({ where: { id }, data: { size, parts: n + 1 } }),
    );
  });
}

export async function endLog(ctx: Ctx, { id }: { id: string }): Promise<BacktestLogRow> {
  requirePermission(ctx, "draft");
  return inTransaction(ctx.db, async (tx) => {
    const log = await lockLog(ctx, tx, id);
    if (log.size === 0) throw new AppError("invalid", `${log.name} is empty: a log has lines`);
    const row = await tx.backtestLog.update({
      where: { id },
      data: { completeAt: new Date(ctx.clock.nowMs()) },
    });
    await recordAudit(tx, ctx.actor, {
      action: "backtest.upload",
      kind: "backtest",
      objectId: id,
      sentence: `${ctx.actor.name} uploaded ${log.name} for backtests, ${log.size} bytes`,
    });
    return backtestLogRow(row);
  });
}

async function lockLog(ctx: Ctx, tx: Tx, id: string): Promise<BacktestLog> {
  await tx.$queryRaw`SELECT id FROM backtest_log WHERE id = ${id} FOR UPDATE`;
  const log = await tx.backtestLog.findUnique({ where: { id } });
  const { actor } = log === null ? { actor: null } : backtestLogRow(log);
  if (log === null || actor === null || `${actor.type}:${actor.id}` !== draftOwner(ctx.actor))
    throw new AppError("not_found", `there is no upload ${id} of yours: begin it anew`);
  if (log.completeAt !== null)
    throw new AppError("conflict", `${log.name} was uploaded to its end already`, {
      details: { reason: "complete" },
    });
  return log;
}

async function requireSpace(tx: Tx, more: number): Promise<void> {
  const { _sum } = await tx.backtestLog.aggregate({ _sum: { size: true } });
  if ((_sum.size ?? 0) + more <= BACKTEST_LOGS_MAX) return;
  throw new AppError(
    "conflict",
    `all uploaded logs together may have at most ${BACKTEST_LOGS_MAX / 2 ** 20} MiB: delete one`,
    { details: { reason: "full" } },
  );
}
