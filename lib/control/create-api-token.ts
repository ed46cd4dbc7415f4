import type { z } from "zod";
import { permissionsOfScopes } from "@/lib/core/access";
import { type TokenCreated, TokenCreateRequestSchema } from "@/lib/core/api/tokens";
import { parseInput } from "@/lib/core/parse";
import { keyedHash } from "@/lib/core/secrets";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { requireHeld, requirePermission } from "./permission";
import { randomId, randomToken } from "./random-id";
import { recordAudit } from "./record-audit";
import { tokenRow } from "./token-row";

const SHOWN = 9;
const DAY_MS = 86_400_000;

/** The token itself is in this answer only. */
export async function createApiToken(
  ctx: Ctx,
  input: z.input<typeof TokenCreateRequestSchema>,
): Promise<TokenCreated> {
  requirePermission(ctx, "tokens");
  const { name, scopes, expiresInDays } = parseInput(TokenCreateRequestSchema, input, "the token");
  requireHeld(ctx, permissionsOfScopes(scopes), `a token the scope ${scopes.join(" ")}`);
  const nowMs = ctx.clock.nowMs();
  const expiresAt = expiresInDays === null ? null : new Date(nowMs + expiresInDays * DAY_MS);
  const token = randomToken();
  const [hashKey] = ctx.keys.apiToken;
  return inTransaction(ctx.db, async (tx) => {
    const row = await tx.apiToken.create({
      data: {
        id: randomId(),
        name,
        scopes,
        createdAt: new Date(nowMs),
        expiresAt,
        hash: keyedHash(token, hashKey),
        hashKeyId: hashKey.keyId,
        prefix: token.slice(0, SHOWN),
        createdBy: ctx.actor.name,
      },
    });
    await recordAudit(tx, ctx.actor, {
      action: "token.create",
      kind: "token",
      objectId: row.id,
      sentence: `${ctx.actor.name} created API token ${row.prefix}… (${name}) of scope ${scopes.join(" ")}${expiresAt === null ? "" : `, until ${expiresAt.toISOString()}`}`,
      after: { name, scopes, expiresAt },
    });
    return { ...tokenRow(row), token };
  });
}
