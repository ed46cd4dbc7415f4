import { createHash, timingSafeEqual } from "node:crypto";
import { AppError } from "@/lib/core/errors";
import { keyedHash } from "@/lib/core/secrets";
import type { Actor, Control } from "./context";
import { knownScopes } from "./token-row";

/** `lastUsedAt` is for people: one write a minute and token is enough. */
const LAST_USED_STEP_MS = 60_000;

/** Who calls the API. `bearer` is the token alone. Throws `unauthenticated`. */
export async function authenticateToken(
  control: Control,
  { bearer }: { bearer: string },
): Promise<Actor> {
  const { bootstrapToken, gatewayToken } = control.config;
  if (bootstrapToken !== undefined && isEqual(bearer, bootstrapToken))
    return { type: "token", id: "bootstrap", name: "Bootstrap token", scopes: ["admin"] };
  if (gatewayToken !== undefined && isEqual(bearer, gatewayToken))
    return { type: "token", id: "gateway", name: "Gateway token", scopes: ["gateway"] };
  const hashes = control.keys.apiToken.map((key) => keyedHash(bearer, key));
  const token = await control.db.apiToken.findFirst({ where: { hash: { in: hashes } } });
  if (token === null) throw new AppError("unauthenticated", "the token is not known here");
  if (token.revokedAt !== null)
    throw new AppError("unauthenticated", `token ${token.prefix}… (${token.name}) was revoked`);
  const now = control.clock.nowMs();
  if (token.expiresAt !== null && token.expiresAt.getTime() <= now)
    throw new AppError(
      "unauthenticated",
      `token ${token.prefix}… (${token.name}) expired at ${token.expiresAt.toISOString()}`,
    );
  if (now - (token.lastUsedAt?.getTime() ?? 0) >= LAST_USED_STEP_MS) {
    await control.db.apiToken.update({
      where: { id: token.id },
      data: { lastUsedAt: new Date(now) },
    });
  }
  return { type: "token", id: token.id, name: token.name, scopes: knownScopes(token.scopes) };
}

/** In constant time: both sides are hashed to one length first. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
