import type { z } from "zod";
import { permissionsOfRole } from "@/lib/core/access";
import { PersonPatchSchema, type PersonRow } from "@/lib/core/api/people";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { readPerson } from "./list-people";
import { requireHeld, requirePermission } from "./permission";
import { getUser, requireOtherAdmin } from "./person";
import { recordAudit } from "./record-audit";

/** Changes a role, or disables and enables an account. Disabled means signed out everywhere, at once. */
export async function updatePerson(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof PersonPatchSchema>,
): Promise<PersonRow> {
  requirePermission(ctx, "people");
  const { role, disabled } = parseInput(PersonPatchSchema, input, "the change");
  if (role !== undefined) requireHeld(ctx, permissionsOfRole(role), `somebody the role ${role}`);
  return inTransaction(ctx.db, async (tx) => {
    const before = await getUser(tx, id);
    const to = { role: role ?? before.role, banned: disabled ?? before.banned };
    const isAdmin = before.role === "admin" && !before.banned;
    if (isAdmin && (to.role !== "admin" || to.banned)) await requireOtherAdmin(tx, before);
    await tx.user.update({ where: { id }, data: to });
    if (to.role !== before.role)
      await recordAudit(tx, ctx.actor, {
        action: "user.role",
        kind: "user",
        objectId: id,
        sentence: `${ctx.actor.name} gave ${before.email} the role ${to.role}, it was ${before.role}`,
        before: { role: before.role },
        after: { role: to.role },
      });
    if (to.banned !== before.banned) {
      const { count } = await tx.session.deleteMany({ where: { userId: id } });
      await recordAudit(tx, ctx.actor, {
        action: to.banned ? "user.disable" : "user.enable",
        kind: "user",
        objectId: id,
        sentence: `${ctx.actor.name} ${to.banned ? "disabled" : "enabled"} ${before.email}${count > 0 ? `, which ended ${count === 1 ? "a session" : `${count} sessions`}` : ""}`,
        before: { disabled: before.banned },
        after: { disabled: to.banned },
      });
    }
    return readPerson(tx, id, new Date(ctx.clock.nowMs()));
  });
}
