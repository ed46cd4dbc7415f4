import type { PeopleList, PersonRow } from "@/lib/core/api/people";
import type { Reader } from "@/lib/db/client";
import type { Ctx } from "./context";
import { CREDENTIAL } from "./credential";
import { invitationRow } from "./invitation";
import { requirePermission } from "./permission";
import { roleOf } from "./session";

/** By name, and the links that are still open. An installation has few people: one page. */
export async function listPeople(ctx: Ctx): Promise<PeopleList> {
  requirePermission(ctx, "people");
  const now = new Date(ctx.clock.nowMs());
  const [users, open] = await Promise.all([
    ctx.db.user.findMany({ ...personQuery(now), orderBy: [{ name: "asc" }, { id: "asc" }] }),
    ctx.db.invitation.findMany({
      where: { usedAt: null, withdrawnAt: null, expiresAt: { gt: now } },
      orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    }),
  ]);
  return { items: users.map(personRow), invitations: open.map(invitationRow) };
}

export async function readPerson(reader: Reader, id: string, now: Date): Promise<PersonRow> {
  const user = await reader.user.findUniqueOrThrow({ ...personQuery(now), where: { id } });
  return personRow(user);
}

function personQuery(now: Date) {
  return {
    include: {
      accounts: { select: { providerId: true } },
      sessions: { where: { expiresAt: { gt: now } }, select: { updatedAt: true } },
    },
  };
}

type Row = {
  id: string;
  name: string;
  email: string;
  role: string;
  banned: boolean;
  createdAt: Date;
  accounts: { providerId: string }[];
  sessions: { updatedAt: Date }[];
};

function personRow(row: Row): PersonRow {
  const seen = row.sessions.map(({ updatedAt }) => updatedAt.getTime());
  const ways = row.accounts.map(({ providerId }) =>
    providerId === CREDENTIAL ? ("password" as const) : ("single sign-on" as const),
  );
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    role: roleOf(row.role),
    disabled: row.banned,
    ways: [...new Set(ways)].sort(),
    sessions: row.sessions.length,
    lastSeenAt: seen.length === 0 ? null : new Date(Math.max(...seen)).toISOString(),
    createdAt: row.createdAt.toISOString(),
  };
}
