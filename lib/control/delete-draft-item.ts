import type { DraftWriteResult } from "@/lib/core/api/draft";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { type Content, findObject, isRemovable } from "@/lib/core/ruleset-objects";
import type { Ctx } from "./context";
import { applyEdits, type DraftEdit } from "./draft-edits";
import { type DraftItemInput, DraftItemSchema } from "./draft-item-input";
import { draftOwner } from "./draft-owner";
import { parseObject } from "./parse-object";
import { requirePermission } from "./permission";
import { planInUse, plansNamed } from "./plan-use";
import { saveEdit } from "./save-edit";

/** Deletes the object in the caller's draft: a rule or plan goes, routes and lists become empty, settings default. */
export async function deleteDraftItem(ctx: Ctx, input: DraftItemInput): Promise<DraftWriteResult> {
  requirePermission(ctx, "draft");
  const { kind, id, ...seen } = parseInput(DraftItemSchema, input, "the address");
  const edit: DraftEdit = isRemovable(kind)
    ? { op: "delete", kind, id }
    : {
        op: "put",
        kind,
        id,
        object: parseObject({ kind, id, body: kind === "settings" ? {} : [] }),
      };
  return saveEdit(ctx, {
    edit,
    seen,
    guard: async (tx, base, others) => {
      if (edit.op === "put") return;
      const now = applyEdits(base.content, others);
      const inDraft = await tx.draftItem.count({
        where: { draft: { owner: draftOwner(ctx.actor) }, kind, objectId: id },
      });
      if (inDraft === 0 && findObject(base.content, edit) === null)
        throw new AppError(
          "not_found",
          `there is no ${kind} ${id} in version ${base.version} or in your draft`,
        );
      if (kind === "plan") await refuseUsedPlan(tx, now, id);
    },
  });
}

async function refuseUsedPlan(
  tx: Parameters<typeof planInUse>[0],
  content: Content,
  id: string,
): Promise<void> {
  const name = content.plans.find((plan) => plan.id === id)?.name ?? id;
  const rules = content.rules.filter((rule) => plansNamed(rule).some(({ plan }) => plan === id));
  const users = rules.length === 0 ? null : rules.map((rule) => rule.id).join(", ");
  const message =
    (await planInUse(tx, { id, name })) ??
    (users === null
      ? null
      : `plan ${id} (${name}) cannot be deleted: ${users} ${rules.length === 1 ? "names" : "name"} it; change ${rules.length === 1 ? "that rule" : "those rules"} first`);
  if (message !== null)
    throw new AppError("conflict", message, { details: { reason: "plan-in-use" } });
}
