import type { PersonRow } from "@/lib/core/api/people";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { readPerson } from "./list-people";
import { requirePermission } from "./permission";
import { getUser, requireOtherAdmin } from "./person";
import { recordAudit } from "./record-audit";

/** For good: account, sessions and unpublished draft. What they did stays in the audit log under their name. */
export async function removePerson(ctx: Ctx, { id }: { id: string }): Promise<PersonRow> {
  requirePermission(ctx, "people");
  return inTransaction(ctx.db, async (tx) => {
    const before = await getUser(tx, id);
    if (before.role === "admin" && !before.banned) await requireOtherAdmin(tx, before);
    const row = await readPerson(tx, id, new Date(ctx.clock.nowMs()));
    const { count } = await tx.draft.deleteMany({ where: { owner: `user:${id}` } });
    await tx.user.delete({ where: { id } });
    await recordAudit(tx, ctx.actor, {
      action: "user.remove",
      kind: "user",
      objectId: id,
      sentence: `${ctx.actor.name} removed ${before.email} (${before.role})${count > 0 ? " and discarded the draft" : ""}`,
      before: { email: before.email, name: before.name, role: before.role },
    });
    return row;
  });
}
