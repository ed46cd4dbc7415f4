import { inTransaction, type Tx } from "@/lib/db/client";
import { type Control, SYSTEM } from "./context";
import { CREDENTIAL, isPassword, passwordHash, writeCredential } from "./credential";
import { randomId } from "./random-id";
import { recordAudit } from "./record-audit";

type Admin = {
  email: string;
  password: string;
  /** The password was set on purpose: an existing user gets it, and all its sessions end. */
  resetPassword: boolean;
};

/** Makes the admin user, or keeps it: role admin, and the password where it was set on purpose. */
export async function ensureAdmin(
  control: Pick<Control, "db" | "log">,
  { email, password, resetPassword }: Admin,
): Promise<{ id: string; created: boolean }> {
  const address = email.toLowerCase();
  const hash = await passwordHash(password);
  return inTransaction(control.db, async (tx) => {
    const found = await tx.user.findUnique({
      where: { email: address },
      include: { accounts: { where: { providerId: CREDENTIAL } } },
    });
    if (found === null) return createAdmin(tx, { email: address, hash });
    if (found.role !== "admin" || found.banned) {
      await tx.user.update({ where: { id: found.id }, data: { role: "admin", banned: false } });
      await recordAudit(tx, SYSTEM, {
        action: "user.role",
        kind: "user",
        objectId: found.id,
        sentence: `${SYSTEM.name} gave ${address} the role admin, as HEADGATE_ADMIN_EMAIL says`,
        before: { role: found.role },
        after: { role: "admin" },
      });
    }
    const [account] = found.accounts;
    const isSame = await isPassword(account?.password, password);
    if (resetPassword && !isSame) await setPassword(tx, { id: found.id, email: address, hash });
    return { id: found.id, created: false };
  });
}

async function createAdmin(tx: Tx, { email, hash }: { email: string; hash: string }) {
  const id = randomId();
  const { count } = await tx.user.createMany({
    data: [{ id, email, name: email.split("@")[0] ?? email, emailVerified: true, role: "admin" }],
    skipDuplicates: true,
  });
  if (count === 0) {
    const other = await tx.user.findUniqueOrThrow({ where: { email } });
    return { id: other.id, created: false };
  }
  await writeCredential(tx, { userId: id, hash });
  await recordAudit(tx, SYSTEM, {
    action: "user.create",
    kind: "user",
    objectId: id,
    sentence: `${SYSTEM.name} created the admin ${email}`,
    after: { email, role: "admin" },
  });
  return { id, created: true };
}

type NewPassword = { id: string; email: string; hash: string };

async function setPassword(tx: Tx, { id, email, hash }: NewPassword): Promise<void> {
  await writeCredential(tx, { userId: id, hash });
  await tx.session.deleteMany({ where: { userId: id } });
  await recordAudit(tx, SYSTEM, {
    action: "user.password",
    kind: "user",
    objectId: id,
    sentence: `${SYSTEM.name} set the password of ${email}, as HEADGATE_ADMIN_PASSWORD says, and ended its sessions`,
  });
}
