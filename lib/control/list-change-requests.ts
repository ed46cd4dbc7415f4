import type { z } from "zod";
import {
  type ChangeRequestList,
  ChangeRequestQuerySchema,
  type ChangeRequestRow,
} from "@/lib/core/api/change-requests";
import { parseInput } from "@/lib/core/parse";
import { changeRequestRow, getStoredRequest } from "./change-request-row";
import type { Ctx } from "./context";
import { cursorDate, decodeCursor, pageOf } from "./cursor";
import { requirePermission } from "./permission";

/** Newest first. */
export async function listChangeRequests(
  ctx: Ctx,
  input: z.input<typeof ChangeRequestQuerySchema> = {},
): Promise<ChangeRequestList> {
  requirePermission(ctx, "read");
  const { state, limit, cursor } = parseInput(ChangeRequestQuerySchema, input, "the query");
  const rows = await ctx.db.changeRequest.findMany({
    where: {
      ...(state === undefined ? {} : { state }),
      ...(cursor === undefined ? {} : after(cursor)),
    },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    take: limit + 1,
  });
  const page = pageOf(rows, limit, (row) => [row.createdAt.getTime(), row.id]);
  const items: ChangeRequestRow[] = [];
  for (const row of page.rows) items.push(await changeRequestRow(ctx.db, row, ctx.actor));
  return { items, ...(page.next === undefined ? {} : { next: page.next }) };
}

export async function getChangeRequest(
  ctx: Ctx,
  { id }: { id: string },
): Promise<ChangeRequestRow> {
  requirePermission(ctx, "read");
  return changeRequestRow(ctx.db, await getStoredRequest(ctx.db, id), ctx.actor);
}

function after(cursor: string) {
  const [time, id = ""] = decodeCursor(cursor, 2);
  const createdAt = cursorDate(time);
  return { OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }] };
}
