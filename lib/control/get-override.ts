import type { OverrideRow } from "@/lib/core/api/overrides";
import { AppError } from "@/lib/core/errors";
import type { Reader } from "@/lib/db/client";
import type { Ctx } from "./context";
import { getLive } from "./live-version";
import { overrideRow, type StoredOverride } from "./override-row";
import { requirePermission } from "./permission";

export async function getOverride(ctx: Ctx, { id }: { id: string }): Promise<OverrideRow> {
  requirePermission(ctx, "read");
  const [row, { content }] = await Promise.all([getStoredOverride(ctx.db, id), getLive(ctx.db)]);
  return overrideRow(ctx.db, row, { content, nowMs: ctx.clock.nowMs() });
}

/** Throws `not_found`. */
export async function getStoredOverride(reader: Reader, id: string): Promise<StoredOverride> {
  const row = await reader.override.findUnique({ where: { id } });
  if (row === null) throw new AppError("not_found", `there is no override ${id}`);
  return row;
}
