import type { VersionDiff } from "@/lib/core/api/versions";
import { diffContents, summariseChanges } from "@/lib/core/diff";
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
  return { from, to, summary: summariseChanges(objects), objects };
}
