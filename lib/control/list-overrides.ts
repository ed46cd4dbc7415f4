import type { z } from "zod";
import { type OverrideList, OverrideListQuerySchema } from "@/lib/core/api/overrides";
import { parseInput } from "@/lib/core/parse";
import type { Ctx } from "./context";
import { cursorDate, decodeCursor, pageOf } from "./cursor";
import { getLive } from "./live-version";
import { overrideRow } from "./override-row";
import { requirePermission } from "./permission";

/** The soonest to expire first; ended and expired ones only on request. */
export async function listOverrides(
  ctx: Ctx,
  input: z.input<typeof OverrideListQuerySchema> = {},
): Promise<OverrideList> {
  requirePermission(ctx, "read");
  const query = parseInput(OverrideListQuerySchema, input, "the query");
  const nowMs = ctx.clock.nowMs();
  const { client, rule, show, cursor, limit } = query;
  const [{ content }, rows] = await Promise.all([
    getLive(ctx.db),
    ctx.db.override.findMany({
      where: {
        ...(client === undefined ? {} : { client }),
        ...(rule === undefined ? {} : { ruleId: rule }),
        AND: [
          show === "all" ? {} : { endedAt: null, expiresAt: { gt: new Date(nowMs) } },
          afterCursor(cursor),
        ],
      },
      orderBy: [{ expiresAt: "asc" }, { id: "asc" }],
      take: limit + 1,
    }),
  ]);
  const page = pageOf(rows, limit, (row) => [row.expiresAt.getTime(), row.id]);
  return {
    items: page.rows.map((row) => overrideRow(row, content, nowMs)),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

function afterCursor(cursor: string | undefined) {
  if (cursor === undefined) return {};
  const [at, id = ""] = decodeCursor(cursor, 2);
  const expiresAt = cursorDate(at);
  return { OR: [{ expiresAt: { gt: expiresAt } }, { expiresAt, id: { gt: id } }] };
}
