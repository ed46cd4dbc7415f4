import type { InvitationRow } from "@/lib/core/api/people";
import { AppError } from "@/lib/core/errors";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { invitationRow } from "./invitation";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";

/** The link opens nothing any more. */
export async function withdrawInvitation(ctx: Ctx, { id }: { id: string }): Promise<InvitationRow> {
  requirePermission(ctx, "people");
  return inTransaction(ctx.db, async (tx) => {
    const before = await tx.invitation.findUnique({ where: { id } });
    if (before === null) throw new AppError("not_found", `there is no invitation ${id}`);
    const { count } = await tx.invitation.updateMany({
      where: { id, usedAt: null, withdrawnAt: null },
      data: { withdrawnAt: new Date(ctx.clock.nowMs()) },
    });
    if (count === 1)
      await recordAudit(tx, ctx.actor, {
        action: "user.withdraw",
        kind: "user",
        objectId: before.userId ?? before.email,
        sentence: `${ctx.actor.name} withdrew the ${before.kind === "reset" ? "password link" : "invitation"} of ${before.email}`,
        before: { email: before.email, role: before.role },
      });
    return invitationRow(before);
  });
}
