import type { z } from "zod";
import { type AlertList, AlertListQuerySchema } from "@/lib/core/api/alerts";
import { parseInput } from "@/lib/core/parse";
import { alertRow } from "./alert-row";
import type { Ctx } from "./context";
import { cursorDate, decodeCursor, pageOf } from "./cursor";
import { requirePermission } from "./permission";

/** Open ones first, newest first; then resolved ones, those resolved last first. */
export async function listAlerts(
  ctx: Ctx,
  input: z.input<typeof AlertListQuerySchema> = {},
): Promise<AlertList> {
  requirePermission(ctx, "read");
  const query = parseInput(AlertListQuerySchema, input, "the query");
  const [rows, open] = await Promise.all([
    ctx.db.alert.findMany({
      where: { AND: [wanted(query), afterCursor(query.cursor)] },
      orderBy: [
        { resolvedAt: { sort: "desc", nulls: "first" } },
        { raisedAt: "desc" },
        { id: "desc" },
      ],
      take: query.limit + 1,
    }),
    ctx.db.alert.count({ where: { resolvedAt: null } }),
  ]);
  const page = pageOf(rows, query.limit, (row) => [
    row.resolvedAt?.getTime() ?? "open",
    row.raisedAt.getTime(),
    row.id,
  ]);
  return {
    items: page.rows.map(alertRow),
    open,
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

function wanted({ open, kind, severity }: z.output<typeof AlertListQuerySchema>) {
  return {
    ...(open === true ? { resolvedAt: null } : {}),
    ...(kind === undefined ? {} : { kind }),
    ...(severity === undefined ? {} : { severity }),
  };
}

function afterCursor(cursor: string | undefined) {
  if (cursor === undefined) return {};
  const [resolved, raised, id = ""] = decodeCursor(cursor, 3);
  const raisedAt = cursorDate(raised);
  const older = [{ raisedAt: { lt: raisedAt } }, { raisedAt, id: { lt: id } }];
  if (resolved === "open")
    return { OR: [{ resolvedAt: null, OR: older }, { resolvedAt: { not: null } }] };
  const resolvedAt = cursorDate(resolved);
  return { OR: [{ resolvedAt: { lt: resolvedAt } }, { resolvedAt, OR: older }] };
}
