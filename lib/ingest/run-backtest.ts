import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Clock } from "@/lib/clock";
import { type BacktestAnswerResult, BacktestRequestSchema } from "@/lib/core/api/backtests";
import { type Backtest, createBacktest } from "@/lib/core/backtest";
import type { BacktestRequest } from "@/lib/core/backtest-result";
import { compileRuleset } from "@/lib/core/compile-ruleset";
import { encodeDemand } from "@/lib/core/demand-bytes";
import { AppError } from "@/lib/core/errors";
import { BodySchema } from "@/lib/core/ruleset";
import type { SigningKey } from "@/lib/core/snapshot";
import type { Database } from "@/lib/db/client";
import { jsonColumn } from "@/lib/db/json";
import { backtestAnswer } from "./backtest-answer";
import { logNotes, overrideNote, tapeNotes } from "./backtest-notes";
import { createLogClients } from "./log-clients";
import { openLog } from "./log-source";
import { readTape, type TapeRange, tapeFigures } from "./tape-source";

/** A run that says nothing for so long is taken for dead; its result may take some seconds to add up. */
export const BACKTEST_LEASE_SECONDS = 60;
const TELL_MS = 500;
/** Requests decided between two looks at the time. */
const STEP = 5_000;
/** A tape is brought in order as it is read, but for a clock that was set back. */
const TAPE_WINDOW = 2_000;

export type BacktestCtx = {
  db: Database;
  config: { secrets: readonly [string, ...string[]] };
  apiKeys: readonly SigningKey[];
  clock: Clock;
};

type Found = Pick<BacktestAnswerResult, "refusedThen" | "lines" | "notes">;

const zip = promisify(gzip);

/** Somebody cancelled or deleted it, or another worker has it. */
class Taken extends Error {}

/** Runs a backtest that `worker` has claimed, and keeps what it found. Nothing else may run in this process. */
export async function runBacktest(
  ctx: BacktestCtx,
  { id, worker }: { id: string; worker: string },
): Promise<"done" | "failed" | "taken"> {
  try {
    const { result, demand } = await judge(ctx, id, worker);
    const data = { state: "done", progress: 1_000, requests: result.total.requests, demand };
    return (await keep(ctx, { id, worker }, { ...data, result: jsonColumn(result) }))
      ? "done"
      : "taken";
  } catch (error) {
    if (error instanceof Taken) return "taken";
    if (!(error instanceof AppError) || error.code === "unavailable") throw error;
    return (await keep(ctx, { id, worker }, { state: "failed", error: error.message }))
      ? "failed"
      : "taken";
  }
}

type Kept = Parameters<Database["backtest"]["updateMany"]>[0]["data"];

async function keep(
  { db, clock }: BacktestCtx,
  { id, worker }: { id: string; worker: string },
  data: Kept,
): Promise<boolean> {
  const { count } = await db.backtest.updateMany({
    where: { id, worker, state: "running" },
    data: { ...data, doneAt: new Date(clock.nowMs()), leaseUntil: null, worker: null },
  });
  return count > 0;
}

type Judged = { result: BacktestAnswerResult; demand: Uint8Array<ArrayBuffer> | null };

async function judge(ctx: BacktestCtx, id: string, worker: string): Promise<Judged> {
  const row = await ctx.db.backtest.findFirst({ where: { id, worker, state: "running" } });
  if (row === null) throw new Taken();
  const request = BacktestRequestSchema.parse(row.request);
  const body = BodySchema.parse(row.body);
  const index = compileRuleset(body, { epoch: 1, version: row.version, hash: id });
  const { speed, source } = request;
  const { rule: asked = null } = request;
  const options = { speed, demand: asked ?? false };
  const now = new Date(ctx.clock.nowMs());
  const overrides = await ctx.db.override.count({
    where: { endedAt: null, expiresAt: { gt: now } },
  });

  let requests = 0;
  let toldMs = 0;
  async function tell(share: number): Promise<void> {
    const nowMs = ctx.clock.monotonicMs();
    if (nowMs - toldMs < TELL_MS) return;
    toldMs = nowMs;
    const changed = await ctx.db.$executeRaw`
      UPDATE backtest SET progress = ${Math.floor(Math.min(1, share) * 999)}::int, requests = ${requests}::int,
        lease_until = now() + make_interval(secs => ${BACKTEST_LEASE_SECONDS}::float8)
      WHERE id = ${id} AND worker = ${worker} AND state = 'running'`;
    if (changed === 0) throw new Taken();
  }
  async function found(backtest: Backtest, rest: Found): Promise<Judged> {
    const result = backtestAnswer(backtest.result(), asked, rest);
    const demand = asked === null ? null : backtest.demandOf(asked, "live");
    if (demand === null) return { result, demand };
    return { result, demand: new Uint8Array(await zip(encodeDemand(demand))) };
  }
  async function push(backtest: Backtest, batch: BacktestRequest[], progress: number) {
    for (let at = 0; at < batch.length; at += STEP) {
      const step = batch.slice(at, at + STEP);
      backtest.push(step);
      requests += step.length;
      await tell(progress);
    }
    await tell(progress);
  }

  if (source.kind === "log") {
    const backtest = createBacktest(index, options);
    const clients = createLogClients({ db: ctx.db, apiKeys: ctx.apiKeys });
    const log = await openLog(ctx, source.log);
    for await (const { entries, progress } of log.slices)
      await push(backtest, await clients.requestsOf(entries), progress);
    const notes = [...logNotes(body, clients.counts), ...overrideNote(overrides)];
    const rest: Found = { refusedThen: null, lines: log.lines, notes };
    return found(backtest, rest);
  }
  const range: TapeRange = {
    fromMs: Date.parse(source.from ?? ""),
    toMs: Date.parse(source.to ?? ""),
  };
  const figures = await tapeFigures(ctx.db, range);
  const sampling = figures.sample / 10_000;
  const backtest = createBacktest(index, { ...options, sampling, windowRequests: TAPE_WINDOW });
  let refusedThen = 0;
  let routeless = 0;
  for await (const slice of readTape(ctx.db, range, figures.sample)) {
    refusedThen += slice.refusedThen;
    routeless += slice.routeless;
    await push(backtest, slice.requests, slice.read / Math.max(1, figures.requests));
  }
  const notes = [...tapeNotes(body, figures, routeless), ...overrideNote(overrides)];
  const rest: Found = { refusedThen, lines: null, notes };
  return found(backtest, rest);
}
