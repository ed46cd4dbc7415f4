import type { z } from "zod";
import {
  type OverrideList,
  type OverrideListQuery,
  OverrideListQuerySchema,
} from "@/lib/core/api/overrides";
import { parseInput } from "@/lib/core/parse";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Reader } from "@/lib/db/client";
import { findOverrideIds, type OverrideFilter } from "@/lib/db/overrides";
import type { Ctx } from "./context";
import { cursorDate, decodeCursor, pageOf } from "./cursor";
import { getLive } from "./live-version";
import { overrideRows, overrideTrouble, type StoredOverride } from "./override-row";
import { requirePermission } from "./permission";

const DAY_MS = 86_400_000;

/** The soonest to expire first; ended and expired ones only on request, the latest first. */
export async function listOverrides(
  ctx: Ctx,
  input: z.input<typeof OverrideListQuerySchema> = {},
): Promise<OverrideList> {
  requirePermission(ctx, "read");
  const query = parseInput(OverrideListQuerySchema, input, "the query");
  const nowMs = ctx.clock.nowMs();
  const { content } = await getLive(ctx.db);
  const filter = await filterOf(ctx.db, query, { content, nowMs });
  const found = await findOverrideIds(ctx.db, filter, {
    now: new Date(nowMs),
    isBackwards: filter.time !== "current",
    after: placeOf(query.cursor),
    limit: query.limit,
  });
  const stored = await ctx.db.override.findMany({ where: { id: { in: found.ids } } });
  const byId = new Map(stored.map((row) => [row.id, row]));
  const rows = found.ids.flatMap((id): StoredOverride[] => {
    const row = byId.get(id);
    return row === undefined ? [] : [row];
  });
  const page = pageOf(rows, query.limit, (row) => [row.expiresAt.getTime(), row.id]);
  return {
    items: await overrideRows(ctx.db, page.rows, { content, nowMs }),
    total: found.total,
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

async function filterOf(
  reader: Reader,
  { client, rule, show, state, expiresWithinDays, q }: OverrideListQuery,
  { content, nowMs }: { content: Content; nowMs: number },
): Promise<OverrideFilter> {
  const isJudged = state === "active" || state === "ignored";
  const ofTime = show === "all" ? null : ("current" as const);
  return {
    client: client ?? null,
    rule: rule ?? null,
    time: state === undefined ? ofTime : isJudged ? "current" : state,
    before: expiresWithinDays === undefined ? null : new Date(nowMs + expiresWithinDays * DAY_MS),
    q: q === undefined || q === "" ? null : q,
    ids: isJudged ? await currentIds(reader, state, { content, nowMs }) : null,
  };
}

/** Whether one is ignored is for its rule to say, which Postgres does not know. */
async function currentIds(
  reader: Reader,
  state: "active" | "ignored",
  { content, nowMs }: { content: Content; nowMs: number },
): Promise<string[]> {
  const rows = await reader.override.findMany({
    where: { endedAt: null, expiresAt: { gt: new Date(nowMs) } },
    select: { id: true, client: true, ruleId: true, limit: true },
  });
  return rows
    .filter((row) => (overrideTrouble(row, content) === null) === (state === "active"))
    .map(({ id }) => id);
}

function placeOf(cursor: string | undefined) {
  if (cursor === undefined) return null;
  const [at, id = ""] = decodeCursor(cursor, 2);
  return { expiresAt: cursorDate(at), id };
}
