import type { z } from "zod";
import { type StopList, StopListQuerySchema } from "@/lib/core/api/stops";
import { parseInput } from "@/lib/core/parse";
import type { Ctx } from "./context";
import { cursorDate, decodeCursor, pageOf } from "./cursor";
import { requirePermission } from "./permission";
import { stopRow } from "./stop-row";

/** Newest first. */
export async function listStops(
  ctx: Ctx,
  input: z.input<typeof StopListQuerySchema> = {},
): Promise<StopList> {
  requirePermission(ctx, "read");
  const { limit, cursor, all } = parseInput(StopListQuerySchema, input, "the query");
  const rows = await ctx.db.enforcementStop.findMany({
    where: { AND: [all === true ? {} : { endedAt: null }, afterCursor(cursor)] },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    take: limit + 1,
  });
  const page = pageOf(rows, limit, (row) => [row.createdAt.getTime(), row.id]);
  return {
    items: page.rows.map(stopRow),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

function afterCursor(cursor: string | undefined) {
  if (cursor === undefined) return {};
  const [at, id = ""] = decodeCursor(cursor, 2);
  const createdAt = cursorDate(at);
  return { OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }] };
}
