import type { VersionDiff } from "@/lib/core/api/versions";
import { diffContents, summariseChanges } from "@/lib/core/diff";
import { limitEffect } from "@/lib/core/limit-effect";
import { countByPlan } from "@/lib/db/plan-counts";
import type { Ctx } from "./context";
import { loadVersion } from "./live-version";
import { requirePermission } from "./permission";

/** What `to` has that `from` has not; either way round. */
export async function diffVersions(
  ctx: Ctx,
  { from, to }: { from: number; to: number },
): Promise<VersionDiff> {
  requirePermission(ctx, "read");
  const [before, after] = [await loadVersion(ctx.db, from), await loadVersion(ctx.db, to)];
  const objects = diffContents(before.content, after.content);
  const [effects, counts] = [limitEffect(before.content, after.content), await countByPlan(ctx.db)];
  const plans = effects.map((each) => ({ ...each, keys: counts.get(each.plan)?.keys ?? 0 }));
  const sumOf = (which: "raised" | "lowered") =>
    plans.reduce((sum, each) => sum + (each[which].length > 0 ? each.keys : 0), 0);
  const effect = { raised: sumOf("raised"), lowered: sumOf("lowered"), plans };
  return { from, to, summary: summariseChanges(objects), objects, effect };
}
