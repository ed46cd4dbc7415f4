import { AppError } from "@/lib/core/errors";
import type { Tx } from "@/lib/db/client";

export type StoredUser = NonNullable<Awaited<ReturnType<Tx["user"]["findUnique"]>>>;

export async function getUser(tx: Tx, id: string): Promise<StoredUser> {
  const user = await tx.user.findUnique({ where: { id } });
  if (user === null) throw new AppError("not_found", `there is no person ${id}`);
  return user;
}

/**
 * Throws `conflict` when nobody but this person could manage people. Locks the admins' rows in one order, so that of
 * two admins who demote each other at the same time the second one sees what the first did.
 */
export async function requireOtherAdmin(tx: Tx, { id, email }: StoredUser): Promise<void> {
  const admins = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM "user" WHERE role = 'admin' AND NOT banned ORDER BY id FOR UPDATE`;
  if (admins.length > 0 && admins.every((admin) => admin.id === id))
    throw new AppError(
      "conflict",
      `${email} is the last admin: make somebody else an admin first`,
      { details: { reason: "last-admin" } },
    );
}
