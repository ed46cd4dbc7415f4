import type { CountedMode } from "@/lib/core/counts";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { REPORT_DEFAULT_MS } from "./report-range";

/** The first minute of the last 24 h in which the rule was counted in this mode; null when it was in none. */
export async function findCountStart(
  ctx: Ctx,
  { id, mode }: { id: string; mode: CountedMode },
): Promise<Date | null> {
  requirePermission(ctx, "read");
  const since = new Date(ctx.clock.nowMs() - REPORT_DEFAULT_MS);
  const first = await ctx.db.countMinute.findFirst({
    where: { ruleId: id, minute: { gte: since }, mode, lane: "live" },
    orderBy: { minute: "asc" },
    select: { minute: true },
  });
  return first?.minute ?? null;
}
