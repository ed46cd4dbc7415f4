import { endStop, publishScheduled } from "@/lib/control";
import { raiseAlert } from "@/lib/control/raise-alert";
import { resolveAlert } from "@/lib/control/resolve-alert";
import { AppError } from "@/lib/core/errors";
import { runLoop } from "./loop";
import type { WorkerCtx } from "./worker-context";

/** What is due at a time: scheduled publishes, and stops of enforcement that are over. Needs Postgres only. */
export function runSchedules(ctx: WorkerCtx, signal: AbortSignal): Promise<void> {
  const everyMs = ctx.timings.schedulesMs;
  return runLoop(
    { name: "schedules", pass: () => passSchedules(ctx), everyMs, log: ctx.log },
    signal,
  );
}

/** One pass. Several workers may: each thing is done once, under the lock that orders all commits. */
export async function passSchedules(ctx: WorkerCtx): Promise<void> {
  await publishDue(ctx);
  await endDueStops(ctx);
}

async function publishDue(ctx: WorkerCtx): Promise<void> {
  const nowMs = ctx.clock.nowMs();
  const due = await ctx.db.scheduledPublish.findMany({
    where: { state: "waiting", publishAt: { lte: new Date(nowMs) } },
    orderBy: [{ publishAt: "asc" }, { id: "asc" }],
    select: { id: true, message: true },
  });
  for (const { id, message } of due) {
    const outcome = await publishScheduled(ctx, { id });
    if (outcome.state !== "refused") continue;
    const text = `"${message}" was not published when it was due: ${outcome.why}`;
    await raiseAlert(ctx.db, {
      kind: "schedule-failed",
      subject: `schedule ${id}`,
      message: text.slice(0, 1000),
      atMs: nowMs,
    });
  }
}

async function endDueStops(ctx: WorkerCtx): Promise<void> {
  const nowMs = ctx.clock.nowMs();
  const due = await ctx.db.enforcementStop.findMany({
    where: { endedAt: null, expiresAt: { lte: new Date(nowMs) } },
    orderBy: [{ expiresAt: "asc" }, { id: "asc" }],
    select: { id: true, rules: true },
  });
  for (const { id, rules } of due) {
    const alert = { kind: "schedule-failed", subject: `stop ${id}`, atMs: nowMs } as const;
    try {
      await endStop(ctx, { id });
      await resolveAlert(ctx.db, { kinds: [alert.kind], subject: alert.subject, atMs: nowMs });
    } catch (error) {
      if (!(error instanceof AppError) || error.code === "unavailable") throw error;
      const message = `${rules.slice(0, 5).join(", ")} cannot be enforced again, as was due: ${error.message}`;
      await raiseAlert(ctx.db, { ...alert, message: message.slice(0, 1000) });
    }
  }
}
