import type { ScheduleCancelled } from "@/lib/core/api/schedules";
import { AppError } from "@/lib/core/errors";
import { inTransaction, type Tx } from "@/lib/db/client";
import { ensureDraft, lockDraft } from "@/lib/db/drafts";
import type { ScheduledPublish } from "@/lib/db/generated/client";
import { lockInstallation } from "@/lib/db/installation";
import { jsonColumn } from "@/lib/db/json";
import type { Ctx } from "./context";
import { draftOwner } from "./draft-owner";
import { requirePermission } from "./permission";
import { randomId } from "./random-id";
import { recordAudit } from "./record-audit";
import { resolveAlert } from "./resolve-alert";
import { frozenEdits, scheduleRow, scheduleSubject } from "./schedule-row";

/**
 * Takes back what waits; of what was refused, its changes. They become its maker's draft again, on the base that they had,
 * unless the maker has another draft by now. Anybody who may publish may take it back.
 */
export async function cancelSchedule(ctx: Ctx, { id }: { id: string }): Promise<ScheduleCancelled> {
  requirePermission(ctx, "publish");
  return inTransaction(ctx.db, async (tx) => {
    const installation = await lockInstallation(tx);
    const row = await tx.scheduledPublish.findUnique({ where: { id } });
    if (row === null || installation === null)
      throw new AppError("not_found", `there is no schedule ${id}`);
    if (row.state === "published" || row.state === "cancelled")
      throw new AppError(
        "conflict",
        row.state === "published"
          ? `it was published as version ${row.version}: roll that back instead`
          : "it was taken back already",
        { details: { reason: row.state, version: row.version } },
      );
    const restored = await restore(ctx, tx, row);
    const cancelled = await tx.scheduledPublish.update({
      where: { id },
      data: { state: "cancelled", doneAt: new Date(ctx.clock.nowMs()) },
    });
    // Somebody has looked at what was refused.
    await resolveAlert(tx, {
      kinds: ["schedule-failed"],
      subject: scheduleSubject(id),
      atMs: ctx.clock.nowMs(),
    });
    await recordAudit(tx, ctx.actor, {
      action: "schedule.cancel",
      kind: "schedule",
      objectId: id,
      sentence: `${ctx.actor.name} took back "${row.message}", scheduled for ${row.publishAt.toISOString()}${restored ? "" : "; its changes are in this row only"}`,
      details: { changes: row.edits, restored },
    });
    return { ...scheduleRow(cancelled, installation.version), restored };
  });
}

async function restore(ctx: Ctx, tx: Tx, row: ScheduledPublish): Promise<boolean> {
  const { owner, baseEpoch, baseVersion } = row;
  if (owner !== draftOwner(ctx.actor) || (await lockDraft(tx, owner)) !== null) return false;
  const base = { epoch: baseEpoch, version: baseVersion };
  const draft = await ensureDraft(tx, { id: randomId(), owner, base });
  await tx.draftItem.createMany({
    data: frozenEdits(row).map((edit) => ({
      draftId: draft.id,
      kind: edit.kind,
      objectId: edit.id,
      op: edit.op,
      ...(edit.op === "put" ? { body: jsonColumn(edit.object.body) } : {}),
    })),
  });
  return true;
}
