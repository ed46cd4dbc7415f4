import type { SessionList } from "@/lib/core/api/people";
import { AppError } from "@/lib/core/errors";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { can, requirePermission } from "./permission";
import { getUser } from "./person";
import { recordAudit } from "./record-audit";

type Whose = {
  /** The person's id. */
  id: string;
  /** The session that asks, to mark it. */
  currentId?: string;
};

/** Where somebody is signed in. Everybody sees their own. */
export async function listSessions(ctx: Ctx, { id, currentId }: Whose): Promise<SessionList> {
  requireOwnOrPeople(ctx, id);
  await inTransaction(ctx.db, (tx) => getUser(tx, id));
  const rows = await ctx.db.session.findMany({
    where: { userId: id, expiresAt: { gt: new Date(ctx.clock.nowMs()) } },
    orderBy: [{ updatedAt: "desc" }, { id: "asc" }],
  });
  const items = rows.map((row) => ({
    id: row.id,
    current: row.id === currentId,
    ip: row.ipAddress === "" ? null : row.ipAddress,
    userAgent: row.userAgent === "" ? null : row.userAgent,
    createdAt: row.createdAt.toISOString(),
    lastSeenAt: row.updatedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  }));
  return { items };
}

type End = Whose & {
  /** One of them; without it all but `currentId`. */
  sessionId?: string;
};

/** Signs somebody out: one session, or all but the one that asks. */
export async function endSessions(
  ctx: Ctx,
  { id, currentId, sessionId }: End,
): Promise<{ ended: number }> {
  requireOwnOrPeople(ctx, id);
  return inTransaction(ctx.db, async (tx) => {
    const user = await getUser(tx, id);
    const which = sessionId ?? (currentId === undefined ? undefined : { not: currentId });
    const { count } = await tx.session.deleteMany({
      where: { userId: id, ...(which === undefined ? {} : { id: which }) },
    });
    if (sessionId !== undefined && count === 0)
      throw new AppError("not_found", `there is no session ${sessionId} of ${user.email}`);
    if (count > 0)
      await recordAudit(tx, ctx.actor, {
        action: "user.sessions",
        kind: "user",
        objectId: id,
        sentence: `${ctx.actor.name} ended ${count === 1 ? "a session" : `${count} sessions`} of ${user.email}`,
      });
    return { ended: count };
  });
}

function requireOwnOrPeople(ctx: Ctx, id: string): void {
  if (ctx.actor.type === "user" && ctx.actor.id === id) return;
  if (!can(ctx.actor, "people")) requirePermission(ctx, "people");
}
