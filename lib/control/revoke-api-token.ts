import type { TokenRow } from "@/lib/core/api/tokens";
import { AppError } from "@/lib/core/errors";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";
import { tokenRow } from "./token-row";

export async function revokeApiToken(ctx: Ctx, { id }: { id: string }): Promise<TokenRow> {
  requirePermission(ctx, "tokens");
  return inTransaction(ctx.db, async (tx) => {
    const before = await tx.apiToken.findUnique({ where: { id } });
    if (before === null) throw new AppError("not_found", `there is no API token ${id}`);
    if (before.revokedAt !== null) return tokenRow(before);
    const row = await tx.apiToken.update({
      where: { id },
      data: { revokedAt: new Date(ctx.clock.nowMs()) },
    });
    await recordAudit(tx, ctx.actor, {
      action: "token.revoke",
      kind: "token",
      objectId: id,
      sentence: `${ctx.actor.name} revoked API token ${row.prefix}… (${row.name}) of scope ${row.scopes.join(" ")}`,
      before: { name: row.name, scopes: row.scopes },
    });
    return tokenRow(row);
  });
}
