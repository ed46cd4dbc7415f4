import type { Draft } from "@/lib/core/api/draft";
import { inTransaction } from "@/lib/db/client";
import { lockDraft } from "@/lib/db/drafts";
import type { Ctx } from "./context";
import { describeDraft } from "./describe-draft";
import { draftOwner } from "./draft-owner";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";

/** Ends the caller's draft. What it held is kept in the audit row. */
export async function discardDraft(ctx: Ctx): Promise<Draft> {
  requirePermission(ctx, "draft");
  return inTransaction(ctx.db, async (tx) => {
    const owner = draftOwner(ctx.actor);
    const draft = await lockDraft(tx, owner);
    if (draft !== null) {
      await tx.draft.delete({ where: { owner } });
      const count = draft.items.length;
      await recordAudit(tx, ctx.actor, {
        action: "draft.discard",
        kind: "draft",
        objectId: draft.id,
        sentence: `${ctx.actor.name} discarded a draft of ${count} ${count === 1 ? "change" : "changes"} on version ${draft.baseVersion}`,
        before: draft.items.map(({ kind, objectId, op, body }) => ({
          kind,
          id: objectId,
          op,
          body,
        })),
      });
    }
    return describeDraft(ctx, tx);
  });
}
