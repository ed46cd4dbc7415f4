import { createHash } from "node:crypto";
import type { InvitationRow } from "@/lib/core/api/people";
import { AppError } from "@/lib/core/errors";
import type { Reader, Tx } from "@/lib/db/client";
import type { Control } from "./context";
import { randomId, randomLinkToken } from "./random-id";
import { roleOf } from "./session";

export type StoredInvitation = NonNullable<Awaited<ReturnType<Reader["invitation"]["findUnique"]>>>;

type NewInvitation = {
  kind: InvitationRow["kind"];
  email: string;
  role: InvitationRow["role"];
  userId?: string;
  createdBy: string;
  nowMs: number;
  hours: number;
};

const HOUR_MS = 3_600_000;

/** The newest link for an address is the only one: whoever asked for another does not want the first to open. */
export async function makeInvitation(
  tx: Tx,
  { kind, email, role, userId, createdBy, nowMs, hours }: NewInvitation,
): Promise<{ row: InvitationRow; token: string }> {
  const now = new Date(nowMs);
  await tx.invitation.updateMany({
    where: { email, usedAt: null, withdrawnAt: null },
    data: { withdrawnAt: now },
  });
  const token = randomLinkToken();
  const stored = await tx.invitation.create({
    data: {
      id: randomId(),
      kind,
      email,
      role,
      userId: userId ?? null,
      hash: linkHash(token),
      createdBy,
      createdAt: now,
      expiresAt: new Date(nowMs + hours * HOUR_MS),
    },
  });
  return { row: invitationRow(stored), token };
}

/** Behind `#`: browsers keep it to themselves, so no log and no Referer has it. */
export function linkOf(
  { publicUrl = "http://localhost:3000" }: { publicUrl?: string },
  token: string,
) {
  return `${publicUrl}/welcome#${token}`;
}

/** Throws `not_found` for one that opens nothing, whatever the reason: a guess learns nothing. */
export async function findOpen(
  reader: Reader,
  { token, clock }: { token: string } & Pick<Control, "clock">,
): Promise<StoredInvitation> {
  const found = await reader.invitation.findUnique({ where: { hash: linkHash(token) } });
  const isOpen =
    found !== null &&
    found.usedAt === null &&
    found.withdrawnAt === null &&
    found.expiresAt.getTime() > clock.nowMs();
  if (isOpen) return found;
  throw new AppError(
    "not_found",
    "this link opens nothing: it was used, withdrawn or has expired. Ask an admin for a new one",
  );
}

export function invitationRow(row: StoredInvitation): InvitationRow {
  return {
    id: row.id,
    kind: row.kind === "reset" ? "reset" : "invite",
    email: row.email,
    role: roleOf(row.role),
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  };
}

/** A token of 238 random bits needs no key to be safe, so a link can be made where the root secret is not. */
function linkHash(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
