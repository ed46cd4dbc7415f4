import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWake, reasonOf, runLoop } from "./loop";
import { BACKTEST_LEASE_SECONDS } from "./run-backtest";
import type { WorkerCtx } from "./worker-context";

/** One that took its process down so often will do it again. */
const ATTEMPTS_MAX = 2;
const HEAP_MB = 2_048;

/** The program that runs one backtest: `<file> <id> <claim>`. */
export type BacktestProgram = {
  file: string;
  execArgv?: readonly string[];
  /** Default: the worker's own. */
  env?: NodeJS.ProcessEnv;
};

type Running = { id: string; claim: string; attempts: number; child: ChildProcess };

/**
 * One at a time, each in a process of its own: a million requests would hold publishes and counts up, and one that runs
 * out of memory takes nobody along.
 */
export async function runBacktests(
  ctx: WorkerCtx,
  program: BacktestProgram,
  signal: AbortSignal,
): Promise<void> {
  const wake = createWake();
  let running: Running | null = null;

  async function pass(): Promise<void> {
    if (running !== null) {
      if (!(await isOurs(ctx, running))) running.child.kill("SIGKILL");
      return;
    }
    const claimed = await claimBacktest(ctx);
    if (claimed === null || signal.aborted) return;
    const child = fork(program.file, [claimed.id, claimed.claim], {
      execArgv: [...(program.execArgv ?? []), `--max-old-space-size=${HEAP_MB}`],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      ...(program.env && { env: program.env }),
    });
    const started = { ...claimed, child };
    running = started;
    ctx.log.info({ backtest: claimed.id }, "backtest started");
    void ended(child).then(async (why) => {
      await settle(ctx, started, why).catch((error: unknown) =>
        ctx.log.warn({ backtest: started.id, reason: reasonOf(error) }, "backtest not settled"),
      );
      running = null;
      wake.wake();
    });
  }

  const everyMs = ctx.timings.backtestsMs;
  await runLoop({ name: "backtests", pass, everyMs, log: ctx.log, wake }, signal);
  await stop(ctx, running);
}

async function ended(child: ChildProcess): Promise<string | null> {
  try {
    const [code, killedBy] = await once(child, "exit");
    return code === 0 ? null : `its process ended with ${killedBy ?? code}`;
  } catch (error) {
    return `its process cannot be started: ${reasonOf(error)}`;
  }
}

export async function claimBacktest(
  ctx: Pick<WorkerCtx, "db">,
): Promise<Omit<Running, "child"> | null> {
  const name = randomBytes(12).toString("hex");
  const [row] = await ctx.db.$queryRaw<{ id: string; attempts: number }[]>`
    UPDATE backtest SET state = 'running', worker = ${name}, attempts = attempts + 1,
      started_at = now(), progress = 0, requests = 0,
      lease_until = now() + make_interval(secs => ${BACKTEST_LEASE_SECONDS}::float8)
    WHERE id = (
      SELECT id FROM backtest
      WHERE state = 'waiting' OR (state = 'running' AND lease_until < now())
      ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, attempts`;
  return row === undefined ? null : { ...row, claim: name };
}

async function isOurs(ctx: WorkerCtx, { id, claim }: Running): Promise<boolean> {
  const where = { id, worker: claim, state: "running" };
  return (await ctx.db.backtest.count({ where })) > 0;
}

/** Of one that ended by itself the row says so already; another one is tried again, or given up. */
async function settle(ctx: WorkerCtx, run: Running, why: string | null): Promise<void> {
  const { id, claim, attempts } = run;
  ctx.log.info({ backtest: id, why }, "backtest ended");
  const isLast = attempts >= ATTEMPTS_MAX;
  await ctx.db.backtest.updateMany({
    where: { id, worker: claim, state: "running" },
    data: isLast
      ? {
          state: "failed",
          worker: null,
          doneAt: new Date(ctx.clock.nowMs()),
          error: `it was started ${attempts} times and gave no result: ${why ?? "its process ended"}. A shorter interval or a smaller log may do.`,
        }
      : { state: "waiting", worker: null, leaseUntil: null },
  });
}

/** Given back, as if it had not been begun. */
async function stop(ctx: WorkerCtx, running: Running | null): Promise<void> {
  if (running === null) return;
  const { id, claim, child } = running;
  child.kill("SIGKILL");
  await ctx.db.backtest.updateMany({
    where: { id, worker: claim, state: "running" },
    data: { state: "waiting", worker: null, leaseUntil: null, attempts: { decrement: 1 } },
  });
}
