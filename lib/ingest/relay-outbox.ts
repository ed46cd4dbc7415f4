import { inTransaction, type Tx } from "@/lib/db/client";
import { advanceDirectory } from "./advance-directory";
import { announceVersion } from "./announce-version";
import { reasonOf, runLoop, type Wake } from "./loop";
import type { WorkerCtx } from "./worker-context";

const ROWS_PER_PASS = 200;
const ERROR_MAX = 1_000;

type Row = { id: bigint; kind: string };

/** Carries committed changes to Redis, woken by Postgres, else each second. */
export function runRelayOutbox(ctx: WorkerCtx, wake: Wake, signal: AbortSignal): Promise<void> {
  const pass = async () => {
    let carried = ROWS_PER_PASS;
    while (carried === ROWS_PER_PASS && !signal.aborted) carried = await relayOutbox(ctx);
  };
  const everyMs = ctx.timings.relayPollMs;
  return runLoop({ name: "relay-outbox", pass, everyMs, log: ctx.log, wake }, signal);
}

/**
 * One pass: how many rows were carried. A row says only that something changed; what goes to Redis is the present
 * state, so rows may be lost, doubled or late. It is done once Redis took that, and stays with its error otherwise.
 */
export async function relayOutbox(ctx: WorkerCtx): Promise<number> {
  const failures: unknown[] = [];
  const carried = await inTransaction(ctx.db, async (tx) => {
    const rows = await tx.$queryRaw<Row[]>`
      SELECT id, kind FROM outbox WHERE done_at IS NULL ORDER BY id LIMIT ${ROWS_PER_PASS} FOR UPDATE SKIP LOCKED`;
    let done = 0;
    for (const { kind, carry } of CARRIERS) {
      const ids = rows.filter((row) => row.kind === kind).map(({ id }) => id);
      if (ids.length === 0) continue;
      try {
        await carry(ctx);
        await markDone(tx, ids);
        done += ids.length;
      } catch (error) {
        await markFailed(tx, ids, reasonOf(error));
        failures.push(error);
      }
    }
    return done;
  });
  if (failures.length > 0) throw failures[0];
  return carried;
}

const CARRIERS: { kind: string; carry: (ctx: WorkerCtx) => Promise<unknown> }[] = [
  { kind: "version", carry: announceVersion },
  { kind: "directory", carry: advanceDirectory },
];

async function markDone(tx: Tx, ids: bigint[]): Promise<void> {
  await tx.outbox.updateMany({
    where: { id: { in: ids } },
    data: { doneAt: new Date(), attempts: { increment: 1 }, error: null },
  });
}

async function markFailed(tx: Tx, ids: bigint[], reason: string): Promise<void> {
  await tx.outbox.updateMany({
    where: { id: { in: ids } },
    data: { attempts: { increment: 1 }, error: reason.slice(0, ERROR_MAX) },
  });
}
