import type { InvitationCreated } from "@/lib/core/api/people";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { linkOf, makeInvitation } from "./invitation";
import { requirePermission } from "./permission";
import { getUser } from "./person";
import { recordAudit } from "./record-audit";
import { roleOf } from "./session";

const HOURS = 24;

/** For who forgot the password: a link that sets a new one, once. The old one works until then. */
export async function makePasswordLink(
  ctx: Ctx,
  { id }: { id: string },
): Promise<InvitationCreated> {
  requirePermission(ctx, "people");
  return inTransaction(ctx.db, async (tx) => {
    const { email, role } = await getUser(tx, id);
    const { row, token } = await makeInvitation(tx, {
      kind: "reset",
      email,
      role: roleOf(role),
      userId: id,
      createdBy: ctx.actor.name,
      nowMs: ctx.clock.nowMs(),
      hours: HOURS,
    });
    await recordAudit(tx, ctx.actor, {
      action: "user.password-link",
      kind: "user",
      objectId: id,
      sentence: `${ctx.actor.name} made a link that sets a new password for ${email}, until ${row.expiresAt}`,
    });
    return { ...row, link: linkOf(ctx.config, token) };
  });
}
