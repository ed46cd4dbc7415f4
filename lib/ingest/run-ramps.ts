import { advanceRamp } from "@/lib/control";
import { findInstallation } from "@/lib/db/installation";
import { runLoop } from "./loop";
import type { WorkerCtx } from "./worker-context";

/** Shares of candidates that rise by a schedule. Needs Postgres only. */
export function runRamps(ctx: WorkerCtx, signal: AbortSignal): Promise<void> {
  const everyMs = ctx.timings.schedulesMs;
  return runLoop({ name: "ramps", pass: () => passRamps(ctx), everyMs, log: ctx.log }, signal);
}

/**
 * One pass: steps that are due, and ramps whose rule somebody may have changed. Several workers may; what fails is tried again
 * at the next pass and keeps no other ramp.
 */
export async function passRamps(ctx: WorkerCtx): Promise<void> {
  const installation = await findInstallation(ctx.db);
  if (installation === null) return;
  const { epoch, version } = installation;
  const ramps = await ctx.db.candidateRamp.findMany({
    where: {
      OR: [
        { state: "running", nextAt: { lte: new Date(ctx.clock.nowMs()) } },
        {
          state: { in: ["running", "paused"] },
          OR: [{ checkedVersion: { lt: version } }, { checkedEpoch: { not: epoch } }],
        },
      ],
    },
    orderBy: [{ nextAt: "asc" }, { id: "asc" }],
    select: { id: true },
  });
  const failures: unknown[] = [];
  for (const { id } of ramps)
    await advanceRamp(ctx, { id }).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
