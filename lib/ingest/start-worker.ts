import type { Control } from "@/lib/control";
import { findInstallation } from "@/lib/db/installation";
import { runDeliverWebhooks } from "./deliver-webhooks";
import { runIngestCounts } from "./ingest-counts";
import { runIngestHeartbeats } from "./ingest-heartbeats";
import { runIngestTape } from "./ingest-tape";
import { runListenOutbox } from "./listen-outbox";
import { createWake, reasonOf, rest } from "./loop";
import { runReassert } from "./reassert";
import { runRelayOutbox } from "./relay-outbox";
import { runRetention } from "./retention";
import { type BacktestProgram, runBacktests } from "./run-backtests";
import { runRamps } from "./run-ramps";
import { runSchedules } from "./run-schedules";
import { runWatchFleet } from "./watch-fleet";
import { runWatchGuardrails } from "./watch-guardrails";
import { openWorker, type Timings, type WorkerCtx } from "./worker-context";

/** What a stop waits for a transaction that is going on. */
const STOP_MS = 1_500;
const SCHEMA_POLL_MS = 500;

export type RunningWorker = { ctx: WorkerCtx; stop(): Promise<void> };

/** Starts every loop at once; each waits for what it needs. Several workers may run. Without `backtests` it runs none. */
export function startWorker(
  control: Control,
  timings: Partial<Timings> = {},
  { backtests }: { backtests?: BacktestProgram } = {},
): RunningWorker {
  const worker = openWorker(control, timings);
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = whenSetUp(worker, signal).then(() => runLoops(worker, signal, backtests));
  return {
    ctx: worker,
    stop: async () => {
      stopping.abort();
      worker.disconnect();
      await Promise.race([ended, rest(STOP_MS, new AbortController().signal)]);
    },
  };
}

async function runLoops(
  ctx: WorkerCtx,
  signal: AbortSignal,
  backtests: BacktestProgram | undefined,
): Promise<void> {
  if (signal.aborted) return;
  ctx.log.info({ worker: ctx.workerId }, "worker started");
  const outbox = createWake();
  await Promise.all([
    runListenOutbox(ctx, outbox, signal),
    runRelayOutbox(ctx, outbox, signal),
    runReassert(ctx, signal),
    runIngestCounts(ctx, signal),
    runIngestHeartbeats(ctx, signal),
    runIngestTape(ctx, signal),
    runWatchFleet(ctx, signal),
    runSchedules(ctx, signal),
    runRamps(ctx, signal),
    runWatchGuardrails(ctx, signal),
    runDeliverWebhooks(ctx, signal),
    runRetention(ctx, signal),
    backtests && runBacktests(ctx, backtests, signal),
  ]);
  ctx.log.info({ worker: ctx.workerId }, "worker stopped");
}

/** Migrations and the seed are another process's work, which may not be done yet. */
async function whenSetUp({ db, log }: WorkerCtx, signal: AbortSignal): Promise<void> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    const reason = await findInstallation(db).then(
      (row) => (row === null || row.version === 0 ? "the seed has not run" : null),
      reasonOf,
    );
    if (reason === null) return;
    if (tries === 0) log.info({ reason }, "waiting for the database to be set up");
    await rest(SCHEMA_POLL_MS, signal);
  }
}
