import type { Database, Tx } from "@/lib/db/client";
import { inTransaction } from "@/lib/db/client";
import type { Actor, Control } from "./context";
import { passwordHash, writeCredential } from "./credential";
import { linkOf, makeInvitation } from "./invitation";
import { randomId } from "./random-id";
import { recordAudit } from "./record-audit";

type Reset = {
  email: string;
  /** Null: a link is made that sets one. */
  password: string | null;
  publicUrl: string;
};

/** Whoever can reach the database is above roles; the log says that it was done here. */
const OPERATOR: Actor = { type: "system", id: "cli", name: "headgate admin reset" };
const LINK_HOURS = 1;

/** Makes an admin, or makes somebody one again: enabled, role admin, all sessions ended. For when nobody can sign in. */
export async function resetAdmin(
  { db, clock }: { db: Database } & Pick<Control, "clock">,
  { email: given, password, publicUrl }: Reset,
): Promise<{ email: string; created: boolean; link: string | null }> {
  const email = given.trim().toLowerCase();
  const hash = password === null ? null : await passwordHash(password);
  return inTransaction(db, async (tx) => {
    const { id, created } = await ensureUser(tx, email);
    await tx.user.update({ where: { id }, data: { role: "admin", banned: false } });
    await tx.session.deleteMany({ where: { userId: id } });
    // What counted wrong passwords must not keep the right one out.
    await tx.rateLimit.deleteMany({ where: { key: `sign-in ${email}` } });
    if (hash !== null) await writeCredential(tx, { userId: id, hash });
    const made =
      hash !== null
        ? null
        : await makeInvitation(tx, {
            kind: "reset",
            email,
            role: "admin",
            userId: id,
            createdBy: OPERATOR.name,
            nowMs: clock.nowMs(),
            hours: LINK_HOURS,
          });
    await recordAudit(tx, OPERATOR, {
      action: "user.admin-reset",
      kind: "user",
      objectId: id,
      sentence: `${OPERATOR.name} ${created ? "created" : "repaired"} the admin ${email}, ${made === null ? "with a new password" : "with a link that sets a password"}; all sessions ended`,
      after: { email, role: "admin", disabled: false },
    });
    return { email, created, link: made === null ? null : linkOf({ publicUrl }, made.token) };
  });
}

async function ensureUser(tx: Tx, email: string): Promise<{ id: string; created: boolean }> {
  const found = await tx.user.findUnique({ where: { email } });
  if (found !== null) return { id: found.id, created: false };
  const id = randomId();
  const name = email.split("@")[0] ?? email;
  await tx.user.create({ data: { id, email, name, emailVerified: true, role: "admin" } });
  return { id, created: true };
}
