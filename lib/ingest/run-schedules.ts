import { endStop, publishScheduled } from "@/lib/control";
import { raiseAlert } from "@/lib/control/raise-alert";
import { resolveAlert } from "@/lib/control/resolve-alert";
import { scheduleSubject } from "@/lib/control/schedule-row";
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

/**
 * One pass. Several workers may: each thing is done once, under the lock that orders all commits. What fails is tried again
 * at the next pass and keeps nothing else that is due.
 */
export async function passSchedules(ctx: WorkerCtx): Promise<void> {
  const nowMs = ctx.clock.nowMs();
  const due = { lte: new Date(nowMs) };
  const [stops, schedules] = await Promise.all([
    ctx.db.enforcementStop.findMany({
      where: { endedAt: null, expiresAt: due },
      orderBy: [{ expiresAt: "asc" }, { id: "asc" }],
      select: { id: true, rules: true },
    }),
    ctx.db.scheduledPublish.findMany({
      where: { state: "waiting", publishAt: due },
      orderBy: [{ publishAt: "asc" }, { id: "asc" }],
      select: { id: true, message: true },
    }),
  ]);
  const failures: unknown[] = [];
  const attempt = async (work: Promise<void>) => {
    await work.catch((error: unknown) => failures.push(error));
  };
  for (const schedule of schedules) await attempt(publishDue(ctx, schedule, nowMs));
  for (const stop of stops) await attempt(endDue(ctx, stop, nowMs));
  if (failures.length > 0) throw failures[0];
}

async function publishDue(
  ctx: WorkerCtx,
  { id, message }: { id: string; message: string },
  atMs: number,
): Promise<void> {
  const outcome = await publishScheduled(ctx, { id });
  if (outcome.state !== "refused") return;
  const text = `"${message}" was not published when it was due: ${outcome.why}`;
  const subject = scheduleSubject(id);
  await raiseAlert(ctx.db, {
    kind: "schedule-failed",
    subject,
    message: text.slice(0, 1000),
    atMs,
  });
}

async function endDue(
  ctx: WorkerCtx,
  { id, rules }: { id: string; rules: string[] },
  atMs: number,
): Promise<void> {
  const subject = `stop ${id}`;
  try {
    await endStop(ctx, { id });
    await resolveAlert(ctx.db, { kinds: ["schedule-failed"], subject, atMs });
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "unavailable") throw error;
    const message = `${rules.slice(0, 5).join(", ")} cannot be enforced again, as was due: ${error.message}`;
    await raiseAlert(ctx.db, {
      kind: "schedule-failed",
      subject,
      message: message.slice(0, 1000),
      atMs,
    });
  }
}
