import type { TokenList } from "@/lib/core/api/tokens";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { tokenRow } from "./token-row";

const TOKENS_SHOWN = 500;

/** Newest first, revoked ones too. */
export async function listApiTokens(ctx: Ctx): Promise<TokenList> {
  requirePermission(ctx, "tokens");
  const rows = await ctx.db.apiToken.findMany({
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    take: TOKENS_SHOWN,
  });
  return { items: rows.map(tokenRow) };
}
