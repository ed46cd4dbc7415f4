import type { z } from "zod";
import { type ScheduleList, ScheduleListQuerySchema } from "@/lib/core/api/schedules";
import { parseInput } from "@/lib/core/parse";
import type { Ctx } from "./context";
import { cursorDate, decodeCursor, pageOf } from "./cursor";
import { getInstallation } from "./live-version";
import { requirePermission } from "./permission";
import { scheduleRow } from "./schedule-row";

/** Newest first. */
export async function listSchedules(
  ctx: Ctx,
  input: z.input<typeof ScheduleListQuerySchema> = {},
): Promise<ScheduleList> {
  requirePermission(ctx, "read");
  const { limit, cursor, state } = parseInput(ScheduleListQuerySchema, input, "the query");
  const { version } = await getInstallation(ctx.db);
  const rows = await ctx.db.scheduledPublish.findMany({
    where: { AND: [state === undefined ? {} : { state }, afterCursor(cursor)] },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    take: limit + 1,
  });
  const page = pageOf(rows, limit, (row) => [row.createdAt.getTime(), row.id]);
  return {
    items: page.rows.map((row) => scheduleRow(row, version)),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

function afterCursor(cursor: string | undefined) {
  if (cursor === undefined) return {};
  const [at, id = ""] = decodeCursor(cursor, 2);
  const createdAt = cursorDate(at);
  return { OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }] };
}
