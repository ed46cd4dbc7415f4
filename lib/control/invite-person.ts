import type { z } from "zod";
import { permissionsOfRole } from "@/lib/core/access";
import { type InvitationCreated, InviteRequestSchema } from "@/lib/core/api/people";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { linkOf, makeInvitation } from "./invitation";
import { requireHeld, requirePermission } from "./permission";
import { recordAudit } from "./record-audit";

/** The link is in this answer only: whoever has it joins once, before it expires. */
export async function invitePerson(
  ctx: Ctx,
  input: z.input<typeof InviteRequestSchema>,
): Promise<InvitationCreated> {
  requirePermission(ctx, "people");
  const { email, role, expiresInHours } = parseInput(InviteRequestSchema, input, "the invitation");
  requireHeld(ctx, permissionsOfRole(role), `somebody the role ${role}`);
  return inTransaction(ctx.db, async (tx) => {
    if ((await tx.user.count({ where: { email } })) > 0)
      throw new AppError("conflict", `${email} has an account already: change its role instead`);
    const { row, token } = await makeInvitation(tx, {
      kind: "invite",
      email,
      role,
      createdBy: ctx.actor.name,
      nowMs: ctx.clock.nowMs(),
      hours: expiresInHours,
    });
    await recordAudit(tx, ctx.actor, {
      action: "user.invite",
      kind: "user",
      objectId: email,
      sentence: `${ctx.actor.name} invited ${email} as ${role}, until ${row.expiresAt}`,
      after: { email, role, expiresAt: row.expiresAt },
    });
    return { ...row, link: linkOf(ctx.config, token) };
  });
}
