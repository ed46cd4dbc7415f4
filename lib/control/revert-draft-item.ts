import type { DraftWriteResult } from "@/lib/core/api/draft";
import { parseInput } from "@/lib/core/parse";
import { objectName } from "@/lib/core/ruleset-objects";
import { inTransaction } from "@/lib/db/client";
import { lockDraft } from "@/lib/db/drafts";
import type { Ctx } from "./context";
import { type DraftItemInput, DraftItemSchema } from "./draft-item-input";
import { draftOwner } from "./draft-owner";
import { getInstallation } from "./live-version";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";
import { dropItem, requireEdit } from "./save-edit";

/** Drops the caller's edit of one object: it is as in the base again. */
export async function revertDraftItem(ctx: Ctx, input: DraftItemInput): Promise<DraftWriteResult> {
  requirePermission(ctx, "draft");
  const { kind, id, edit: expected } = parseInput(DraftItemSchema, input, "the address");
  return inTransaction(ctx.db, async (tx) => {
    const draft = await lockDraft(tx, draftOwner(ctx.actor));
    requireEdit(draft, { edit: { kind, id }, seen: { edit: expected } });
    await dropItem(tx, draft, { kind, id });
    if (draft?.items.some((item) => item.kind === kind && item.objectId === id))
      await recordAudit(tx, ctx.actor, {
        action: "draft.revert",
        kind: "draft",
        objectId: objectName({ kind, id }),
        sentence: `${ctx.actor.name} took the edit of ${kind === id ? kind : `${kind} ${id}`} back out of a draft`,
      });
    const baseVersion = draft?.baseVersion ?? (await getInstallation(tx)).version;
    return { baseVersion, change: null, lint: [] };
  });
}
