import type { z } from "zod";
import { type TokenCreated, TokenCreateRequestSchema } from "@/lib/core/api/tokens";
import { parseInput } from "@/lib/core/parse";
import { keyedHash } from "@/lib/core/secrets";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { randomId, randomToken } from "./random-id";
import { recordAudit } from "./record-audit";
import { tokenRow } from "./token-row";

const SHOWN = 9;

/** The token itself is in this answer only. */
export async function createApiToken(
  ctx: Ctx,
  input: z.input<typeof TokenCreateRequestSchema>,
): Promise<TokenCreated> {
  requirePermission(ctx, "tokens");
  const { name, scope } = parseInput(TokenCreateRequestSchema, input, "the token");
  const token = randomToken();
  const [hashKey] = ctx.keys.apiToken;
  return inTransaction(ctx.db, async (tx) => {
    const row = await tx.apiToken.create({
      data: {
        id: randomId(),
        name,
        scope,
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
      sentence: `${ctx.actor.name} created API token ${row.prefix}… (${name}) of scope ${scope}`,
      after: { name, scope },
    });
    return { ...tokenRow(row), token };
  });
}
