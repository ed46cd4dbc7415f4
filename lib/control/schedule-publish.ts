import type { z } from "zod";
import { type Schedule, ScheduleRequestSchema } from "@/lib/core/api/schedules";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import { lockDraft } from "@/lib/db/drafts";
import { lockInstallation } from "@/lib/db/installation";
import { jsonColumn } from "@/lib/db/json";
import { actorName, type Ctx } from "./context";
import { applyEdits, editsOf } from "./draft-edits";
import { draftOwner } from "./draft-owner";
import { keptGuardrail } from "./enforcement-columns";
import { loadVersion } from "./live-version";
import { requirePermission } from "./permission";
import { randomId } from "./random-id";
import { recordAudit } from "./record-audit";
import { requirePublishable } from "./require-publishable";
import { frozen, scheduleRow } from "./schedule-row";
import { requireBase } from "./stale-base";

const AHEAD_MAX_MS = 366 * 86_400_000;

/**
 * Freezes the caller's draft, which ends, to be published at a time. Base and content are checked now, and all of it
 * again when the time comes.
 */
export async function schedulePublish(
  ctx: Ctx,
  input: z.input<typeof ScheduleRequestSchema>,
): Promise<Schedule> {
  requirePermission(ctx, "publish");
  const request = parseInput(ScheduleRequestSchema, input, "the schedule");
  const publishAt = new Date(request.publishAt);
  const now = new Date(ctx.clock.nowMs());
  const aheadMs = publishAt.getTime() - now.getTime();
  if (aheadMs <= 0 || aheadMs > AHEAD_MAX_MS) {
    const message = `publishAt must be in the future and within a year, got ${request.publishAt}`;
    throw new AppError("invalid", message, { errors: [{ path: "publishAt", message }] });
  }
  const owner = draftOwner(ctx.actor);
  return inTransaction(ctx.db, async (tx) => {
    const installation = await lockInstallation(tx);
    if (installation === null) throw new AppError("unavailable", "Headgate is not set up yet");
    const live = await loadVersion(tx, installation.version);
    const draft = await lockDraft(tx, owner);
    const edits = editsOf(draft);
    if (draft === null || edits.length === 0)
      throw new AppError("conflict", "there is nothing to schedule: your draft has no changes", {
        details: { reason: "empty", current: live.version },
      });
    const versions = [draft.baseVersion, request.baseVersion];
    await requireBase(tx, live, { versions, epoch: draft.baseEpoch, edits });
    const content = applyEdits(live.content, edits);
    await requirePublishable(tx, { live, content, kind: "publish" });
    const id = randomId();
    const row = await tx.scheduledPublish.create({
      data: {
        id,
        owner,
        actor: jsonColumn(actorName(ctx.actor)),
        baseEpoch: draft.baseEpoch,
        baseVersion: draft.baseVersion,
        edits: jsonColumn(edits.map(frozen)),
        message: request.message,
        acknowledgeGaps: request.acknowledgeGaps === true,
        acknowledgeRadius: request.acknowledgeRadius === true,
        ...keptGuardrail(request.guardrail),
        publishAt,
        createdAt: now,
      },
    });
    await tx.draft.delete({ where: { owner } });
    await recordAudit(tx, ctx.actor, {
      action: "schedule.create",
      kind: "schedule",
      objectId: id,
      sentence: `${ctx.actor.name} scheduled "${request.message}" for ${request.publishAt}, on version ${live.version}`,
      reason: request.message,
      details: { changes: edits.map(frozen), publishAt: request.publishAt },
    });
    return scheduleRow(row, live.version);
  });
}
