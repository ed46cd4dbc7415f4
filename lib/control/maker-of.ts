import type { Actor as ActorName } from "@/lib/core/api/common";
import { AppError } from "@/lib/core/errors";
import type { Actor, Ctx } from "./context";
import { roleOf } from "./session";
import { knownScopes } from "./token-row";

/** Whoever `scheduled` or `started` what is done later, with today's rights. */
export async function makerOf(
  { db }: Ctx,
  { type, id, name }: ActorName,
  did: "scheduled" | "started",
): Promise<Actor> {
  if (type === "system") throw new AppError("forbidden", `Headgate itself ${did} nothing`);
  if (type === "user") {
    const user = await db.user.findUnique({ where: { id } });
    if (user === null || user.banned)
      throw new AppError("forbidden", `${name}, who ${did} it, may not sign in any more`);
    return { type, id, name: user.name, role: roleOf(user.role) };
  }
  // Of the console's environment, which this process does not have.
  if (id === "bootstrap") return { type, id, name, scopes: ["admin"] };
  const token = await db.apiToken.findUnique({ where: { id } });
  if (token === null || token.revokedAt !== null)
    throw new AppError("forbidden", `token ${name}, which ${did} it, was revoked`);
  return { type, id, name: token.name, scopes: knownScopes(token.scopes) };
}
