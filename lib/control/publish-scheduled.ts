import type { Published } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";
import { inTransaction } from "@/lib/db/client";
import type { ScheduledPublish } from "@/lib/db/generated/client";
import { actorColumn } from "@/lib/db/json";
import { commitVersion } from "./commit-version";
import { type Ctx, withActor } from "./context";
import { applyEdits } from "./draft-edits";
import { wantedGuardrail } from "./enforcement-columns";
import { makerOf } from "./maker-of";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";
import { frozenEdits } from "./schedule-row";

export type ScheduleOutcome =
  | { state: "published"; version: number }
  | { state: "refused"; why: string }
  /** Somebody else did it, or took it back. */
  | { state: "gone" };

/**
 * Makes a version of what is due, as its maker, who must still be allowed to; base, content and evidence are judged as at any
 * publish. Done or refused once, also by several workers: it is looked at again under the lock of all commits. What
 * is `unavailable` is thrown and stays due.
 */
export async function publishScheduled(ctx: Ctx, { id }: { id: string }): Promise<ScheduleOutcome> {
  requirePermission(ctx, "publish");
  const row = await ctx.db.scheduledPublish.findUnique({ where: { id } });
  if (row === null || row.state !== "waiting") return { state: "gone" };
  try {
    const maker = await makerOf(ctx, actorColumn(row.actor), "scheduled");
    const { version } = await commitScheduled(withActor(ctx, maker), row);
    return { state: "published", version };
  } catch (error) {
    if (error instanceof GoneError) return { state: "gone" };
    if (!(error instanceof AppError) || error.code === "unavailable" || error.code === "internal")
      throw error;
    return refuse(ctx, row, error.message);
  }
}

class GoneError extends Error {}

async function commitScheduled(ctx: Ctx, row: ScheduledPublish): Promise<Published> {
  requirePermission(ctx, "publish");
  const edits = frozenEdits(row);
  const { id, message, publishAt } = row;
  return commitVersion(
    ctx,
    async (tx) => {
      const now = await tx.scheduledPublish.findUnique({ where: { id }, select: { state: true } });
      if (now?.state !== "waiting") throw new GoneError();
      return { versions: [row.baseVersion], epoch: row.baseEpoch, edits };
    },
    (_tx, live) => ({
      kind: "publish",
      message,
      content: applyEdits(live.content, edits),
      evidence: row.acknowledgeGaps ? "acknowledged" : "required",
      radius: row.acknowledgeRadius ? "acknowledged" : "required",
      guardrail: wantedGuardrail(row.guardrail),
      audit: {
        action: "version.publish",
        kind: "version",
        objectId: String(live.version + 1),
        did: `published "${message}", as scheduled for ${publishAt.toISOString()}`,
        reason: message,
      },
      also: (tx) =>
        tx.scheduledPublish.update({
          where: { id },
          data: {
            state: "published",
            version: live.version + 1,
            doneAt: new Date(ctx.clock.nowMs()),
          },
        }),
    }),
  );
}

async function refuse(ctx: Ctx, row: ScheduledPublish, why: string): Promise<ScheduleOutcome> {
  return inTransaction(ctx.db, async (tx) => {
    const { count } = await tx.scheduledPublish.updateMany({
      where: { id: row.id, state: "waiting" },
      data: { state: "refused", outcome: why, doneAt: new Date(ctx.clock.nowMs()) },
    });
    if (count === 0) return { state: "gone" };
    await recordAudit(tx, ctx.actor, {
      action: "schedule.refuse",
      kind: "schedule",
      objectId: row.id,
      sentence: `${ctx.actor.name} did not publish "${row.message}" of ${actorColumn(row.actor).name}, scheduled for ${row.publishAt.toISOString()}: ${why}`,
      details: { changes: row.edits },
    });
    return { state: "refused", why };
  });
}
