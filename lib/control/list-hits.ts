import type { z } from "zod";
import { type HitList, HitsQuerySchema } from "@/lib/core/api/hits";
import { parseInput } from "@/lib/core/parse";
import type { Ctx } from "./context";
import { COUNTS_KEPT_MS } from "./counts-kept";
import { cursorDate, decodeCursor, pageOf } from "./cursor";
import { hitRow } from "./hit-row";
import { requirePermission } from "./permission";
import { splitRange } from "./report-parts";
import { reportRange } from "./report-range";
import { reportedRule } from "./reported-rule";
import { sampledShare } from "./sampled-share";

/** The log of a rule's hits, newest first. Pages go on from (at, id), so rows that come meanwhile repeat nothing. */
export async function listHits(
  ctx: Ctx,
  { id, ...query }: { id: string } & z.input<typeof HitsQuerySchema>,
): Promise<HitList> {
  requirePermission(ctx, "read");
  const { limit, cursor, ...asked } = parseInput(HitsQuerySchema, query, "the query");
  const search = await hitSearch(ctx, id, asked);
  const page = await hitPage(ctx, search, { limit, cursor });
  return { ...page, sampling: await hitSampling(ctx, search) };
}

type Asked = Omit<z.output<typeof HitsQuerySchema>, "limit" | "cursor">;
type HitSearch = Omit<Asked, "from" | "to"> & { id: string; interval: { gte: Date; lt: Date } };

/** Whose hits and of when, the present moment being that of the call. Throws `not_found` for a rule that never was. */
export async function hitSearch(ctx: Ctx, id: string, asked: Asked): Promise<HitSearch> {
  const { client, plan, route, mode, revision } = asked;
  await reportedRule(ctx.db, id);
  const { fromMs, toMs } = reportRange(asked, ctx.clock.nowMs());
  const interval = { gte: new Date(fromMs), lt: new Date(toMs) };
  return { id, interval, client, plan, route, mode, revision };
}

type Place = { limit: number; cursor: string | undefined };

export async function hitPage(
  ctx: Ctx,
  { id, interval, client, plan, route, mode, revision }: HitSearch,
  { limit, cursor }: Place,
): Promise<Omit<HitList, "sampling">> {
  const found = await ctx.db.hitSample.findMany({
    where: {
      ruleId: id,
      at: interval,
      ...(client === undefined ? {} : { client }),
      ...(plan === undefined ? {} : { plan }),
      ...(route === undefined ? {} : { route }),
      ...(mode === undefined ? {} : { mode }),
      ...(revision === undefined ? {} : { revision }),
      ...(cursor === undefined ? {} : olderThan(cursor)),
    },
    orderBy: [{ at: "desc" }, { id: "desc" }],
    take: limit + 1,
  });
  const { rows, next } = pageOf(found, limit, (row) => [row.at.getTime(), String(row.id)]);
  return { items: rows.map(hitRow), ...(next === undefined ? {} : { next }) };
}

/** Hits seen and kept over all clients, as far back as the log reaches: one client's are not counted by route. */
export async function hitSampling(
  ctx: Ctx,
  { id, interval, plan, route, mode, revision }: HitSearch,
): Promise<HitList["sampling"]> {
  const loggedMs = ctx.clock.nowMs() - COUNTS_KEPT_MS.hits;
  const range = { fromMs: Math.max(interval.gte.getTime(), loggedMs), toMs: interval.lt.getTime() };
  const where = {
    ruleId: id,
    ...(plan === undefined ? {} : { plan }),
    ...(route === undefined ? {} : { route }),
    ...(mode === undefined ? {} : { mode }),
    ...(revision === undefined ? {} : { revision }),
  };
  const _sum = { rejections: true, kept: true } as const;
  let seen = 0;
  let kept = 0;
  for (const { level, fromMs, toMs } of splitRange(range, "hour")) {
    const at = { gte: new Date(fromMs), lt: new Date(toMs) };
    const part =
      level === "minute"
        ? await ctx.db.countMinute.aggregate({ where: { ...where, minute: at }, _sum })
        : await ctx.db.countHour.aggregate({ where: { ...where, hour: at }, _sum });
    seen += Number(part._sum.rejections ?? 0);
    kept += Number(part._sum.kept ?? 0);
  }
  return { seen, kept, share: sampledShare(kept, seen) };
}

function olderThan(cursor: string) {
  const [atPart, idPart = ""] = decodeCursor(cursor, 2);
  const at = cursorDate(atPart);
  const id = /^\d{1,19}$/.test(idPart) ? BigInt(idPart) : 0n;
  // The first condition alone finds the place in the index.
  return { AND: [{ at: { lte: at } }, { OR: [{ at: { lt: at } }, { at, id: { lt: id } }] }] };
}
