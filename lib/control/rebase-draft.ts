import type { Draft } from "@/lib/core/api/draft";
import type { Conflict } from "@/lib/core/api/publish";
import { inTransaction } from "@/lib/db/client";
import { lockDraft } from "@/lib/db/drafts";
import type { Ctx } from "./context";
import { describeDraft } from "./describe-draft";
import { editsOf, isAs } from "./draft-edits";
import { draftOwner } from "./draft-owner";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";
import { dropItem } from "./save-edit";
import { conflictsOf } from "./stale-base";

/**
 * Moves the caller's draft onto the live version: the edits stay, those that the live version has already go.
 * `conflicts` are the objects that somebody else changed too: there the draft says what will be.
 */
export async function rebaseDraft(ctx: Ctx): Promise<Draft & { conflicts: Conflict[] }> {
  requirePermission(ctx, "draft");
  return inTransaction(ctx.db, async (tx) => {
    const draft = await lockDraft(tx, draftOwner(ctx.actor));
    const live = await getLive(tx);
    if (draft === null || (draft.baseVersion === live.version && draft.baseEpoch === live.epoch))
      return { ...(await describeDraft(ctx, tx)), conflicts: [] };
    const edits = editsOf(draft);
    const { baseVersion } = draft;
    const conflicts = await conflictsOf(tx, { live, baseVersion, edits });
    await tx.draft.update({
      where: { id: draft.id },
      data: {
        baseVersion: live.version,
        baseEpoch: live.epoch,
        updatedAt: new Date(ctx.clock.nowMs()),
      },
    });
    for (const edit of edits.filter((each) => isAs(live, each))) await dropItem(tx, draft, edit);
    await recordAudit(tx, ctx.actor, {
      action: "draft.rebase",
      kind: "draft",
      objectId: draft.id,
      sentence: `${ctx.actor.name} rebased a draft from version ${baseVersion} to ${live.version}${conflicts.length === 0 ? "" : `, over other changes of ${conflicts.map(({ id }) => id).join(", ")}`}`,
      details: { conflicts },
    });
    return { ...(await describeDraft(ctx, tx)), conflicts };
  });
}
