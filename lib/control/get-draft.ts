import type { Draft } from "@/lib/core/api/draft";
import type { Ctx } from "./context";
import { describeDraft } from "./describe-draft";
import { requirePermission } from "./permission";

/** The caller's own draft. */
export async function getDraft(ctx: Ctx): Promise<Draft> {
  requirePermission(ctx, "read");
  return describeDraft(ctx, ctx.db);
}
