import type { z } from "zod";
import { AcceptRequestSchema, type InvitationRow } from "@/lib/core/api/people";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction, type Tx } from "@/lib/db/client";
import type { Control } from "./context";
import { passwordHash, writeCredential } from "./credential";
import { findOpen, invitationRow, type StoredInvitation } from "./invitation";
import { requireOwnOrigin } from "./origins";
import { getUser } from "./person";
import { randomId } from "./random-id";
import { recordAudit } from "./record-audit";
import { roleOf } from "./session";
import type { SetCookie } from "./set-cookie";
import { signIn } from "./sign-in";

/** What a link is for; nothing is used up by looking. */
export async function findInvitation(
  control: Control,
  { token }: { token: string },
): Promise<InvitationRow> {
  const found = await findOpen(control.db, { token, clock: control.clock });
  return invitationRow(found);
}

type Accept = z.input<typeof AcceptRequestSchema> & { headers: Headers };

/** Uses a link up: makes the account or sets its password, and signs in; the caller sets the cookies. */
export async function acceptInvitation(
  control: Control,
  { headers, ...input }: Accept,
): Promise<{ cookies: SetCookie[] }> {
  requireOwnOrigin(headers, control.config.publicUrl);
  const { token, name, password } = parseInput(AcceptRequestSchema, input, "the form");
  // Before hashing, which is work that a guess should not cause.
  await findOpen(control.db, { token, clock: control.clock });
  const hash = await passwordHash(password);
  const email = await inTransaction(control.db, async (tx) => {
    const open = await findOpen(tx, { token, clock: control.clock });
    const { count } = await tx.invitation.updateMany({
      where: { id: open.id, usedAt: null, withdrawnAt: null },
      data: { usedAt: new Date(control.clock.nowMs()) },
    });
    if (count === 0) throw new AppError("conflict", "this link was used a moment ago");
    if (open.kind === "reset") await resetPassword(tx, open, hash);
    else await join(tx, open, { name: name ?? nameOf(open.email), hash });
    return open.email;
  });
  return signIn(control, { email, password, headers });
}

async function join(
  tx: Tx,
  { email, role, createdBy }: StoredInvitation,
  { name, hash }: { name: string; hash: string },
): Promise<void> {
  const id = randomId();
  const { count } = await tx.user.createMany({
    data: [{ id, email, name, emailVerified: true, role: roleOf(role) }],
    skipDuplicates: true,
  });
  if (count === 0) throw new AppError("conflict", `${email} has an account already: sign in`);
  await writeCredential(tx, { userId: id, hash });
  await recordAudit(
    tx,
    { type: "user", id, name, role: roleOf(role) },
    {
      action: "user.join",
      kind: "user",
      objectId: id,
      sentence: `${name} (${email}) joined as ${role}, invited by ${createdBy}`,
      after: { email, name, role },
    },
  );
}

async function resetPassword(
  tx: Tx,
  { userId, createdBy }: StoredInvitation,
  hash: string,
): Promise<void> {
  const user = await getUser(tx, userId ?? "");
  await writeCredential(tx, { userId: user.id, hash });
  await tx.session.deleteMany({ where: { userId: user.id } });
  await recordAudit(
    tx,
    { type: "user", id: user.id, name: user.name, role: roleOf(user.role) },
    {
      action: "user.password",
      kind: "user",
      objectId: user.id,
      sentence: `${user.name} set a new password by a link of ${createdBy}; all sessions ended`,
    },
  );
}

function nameOf(email: string): string {
  return email.split("@")[0] ?? email;
}
