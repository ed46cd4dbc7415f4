import type { KeyRow } from "@/lib/core/api/keys";
import type { Ctx } from "./context";
import { getKeyRow, keyRow } from "./key-row";
import { requirePermission } from "./permission";

/** A revoked one, too. Throws `not_found`. */
export async function getKey(ctx: Ctx, { id }: { id: string }): Promise<KeyRow> {
  requirePermission(ctx, "read");
  return keyRow(await getKeyRow(ctx.db, id), ctx.clock.nowMs());
}
