import type { z } from "zod";
import { PageQuerySchema } from "@/lib/core/api/common";
import type { VersionList } from "@/lib/core/api/versions";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import type { Ctx } from "./context";
import { decodeCursor, pageOf } from "./cursor";
import { getInstallation } from "./live-version";
import { requirePermission } from "./permission";
import { versionColumns, versionRows } from "./version-rows";

/** Newest first. */
export async function listVersions(
  ctx: Ctx,
  input: z.input<typeof PageQuerySchema> = {},
): Promise<VersionList> {
  requirePermission(ctx, "read");
  const { limit, cursor } = parseInput(PageQuerySchema, input, "the query");
  const { version: current } = await getInstallation(ctx.db);
  const below = cursor === undefined ? undefined : Number(decodeCursor(cursor, 1)[0]);
  if (below !== undefined && !Number.isSafeInteger(below))
    throw new AppError("invalid", "cursor must be the next of an earlier answer");
  const rows = await ctx.db.version.findMany({
    where: below === undefined ? {} : { number: { lt: below } },
    orderBy: { number: "desc" },
    take: limit + 1,
    select: versionColumns,
  });
  const page = pageOf(rows, limit, (row) => [row.number]);
  return {
    items: await versionRows(ctx.db, page.rows, { current, nowMs: ctx.clock.nowMs() }),
    ...(page.next === undefined ? {} : { next: page.next }),
    current,
  };
}
