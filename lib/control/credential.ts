import type { Tx } from "@/lib/db/client";
import { randomId } from "./random-id";

/** The account that better-auth looks for when somebody signs in by email and password. */
export const CREDENTIAL = "credential";

/** better-auth's own hash. Outside a transaction: it takes a tenth of a second on purpose. */
export async function passwordHash(password: string): Promise<string> {
  const { hashPassword } = await import("better-auth/crypto");
  return hashPassword(password);
}

export async function isPassword(hash: string | null | undefined, password: string) {
  if (!hash) return false;
  const { verifyPassword } = await import("better-auth/crypto");
  return verifyPassword({ hash, password });
}

export async function writeCredential(
  tx: Tx,
  { userId, hash }: { userId: string; hash: string },
): Promise<void> {
  await tx.account.deleteMany({ where: { userId, providerId: CREDENTIAL } });
  await tx.account.create({
    data: { id: randomId(), accountId: userId, providerId: CREDENTIAL, userId, password: hash },
  });
}
