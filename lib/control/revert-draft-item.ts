import type { DraftWriteResult } from "@/lib/core/api/draft";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import { lockDraft } from "@/lib/db/drafts";
import type { Ctx } from "./context";
import { type DraftItemInput, DraftItemSchema } from "./draft-item-input";
import { draftOwner } from "./draft-owner";
import { getInstallation } from "./live-version";
import { requirePermission } from "./permission";
import { dropItem, requireEdit } from "./save-edit";

/** Drops the caller's edit of one object: it is as in the base again. */
export async function revertDraftItem(ctx: Ctx, input: DraftItemInput): Promise<DraftWriteResult> {
  requirePermission(ctx, "draft");
  const { kind, id, edit: expected } = parseInput(DraftItemSchema, input, "the address");
  return inTransaction(ctx.db, async (tx) => {
    const draft = await lockDraft(tx, draftOwner(ctx.actor));
    requireEdit(draft, { edit: { kind, id }, seen: { edit: expected } });
    await dropItem(tx, draft, { kind, id });
    const baseVersion = draft?.baseVersion ?? (await getInstallation(tx)).version;
    return { baseVersion, change: null, lint: [] };
  });
}
