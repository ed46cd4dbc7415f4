import type { DraftObject } from "@/lib/core/api/draft";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { findObject } from "@/lib/core/ruleset-objects";
import { findDraft } from "@/lib/db/drafts";
import type { Ctx } from "./context";
import { editsOf } from "./draft-edits";
import { type DraftItemInput, DraftItemSchema } from "./draft-item-input";
import { draftItemTag } from "./draft-item-tag";
import { draftOwner } from "./draft-owner";
import { getLive, loadVersion } from "./live-version";
import { requirePermission } from "./permission";

/** One object as the caller's draft has it, else as the draft's base has it. `tag` changes with every save of it. */
export async function getDraftItem(
  ctx: Ctx,
  input: Pick<DraftItemInput, "kind" | "id">,
): Promise<{ object: DraftObject; tag: string }> {
  requirePermission(ctx, "read");
  const { kind, id } = parseInput(DraftItemSchema, input, "the address");
  const draft = await findDraft(ctx.db, draftOwner(ctx.actor));
  const base = await (draft === null ? getLive(ctx.db) : loadVersion(ctx.db, draft.baseVersion));
  const edit = editsOf(draft).find((each) => each.kind === kind && each.id === id);
  const before = findObject(base.content, { kind, id })?.body ?? null;
  const body = edit === undefined ? before : edit.op === "put" ? edit.object.body : null;
  if (body === null)
    throw new AppError(
      "not_found",
      `there is no ${kind} ${id} in ${edit === undefined ? `version ${base.version} or in your draft` : "your draft: it removes it"}`,
    );
  return {
    object: { kind, id, baseVersion: base.version, edit: edit?.edit ?? 0, body },
    tag: draftItemTag({ edit: edit?.edit ?? 0, body }),
  };
}
