import type { VersionDetail } from "@/lib/core/api/versions";
import { diffContents } from "@/lib/core/diff";
import { AppError } from "@/lib/core/errors";
import type { Ctx } from "./context";
import { getInstallation, loadVersion } from "./live-version";
import { requirePermission } from "./permission";
import { versionColumns, versionRows } from "./version-rows";

/** One version with its whole content and what it changed against its parent. */
export async function getVersion(ctx: Ctx, { number }: { number: number }): Promise<VersionDetail> {
  requirePermission(ctx, "read");
  const version = await loadVersion(ctx.db, number);
  const { version: current } = await getInstallation(ctx.db);
  const found = await ctx.db.version.findUnique({
    where: { number },
    select: { ...versionColumns, hash: true, requires: true },
  });
  if (found === null) throw new AppError("not_found", `there is no version ${number}`);
  const [row] = await versionRows(ctx.db, [found], { current, nowMs: ctx.clock.nowMs() });
  if (row === undefined) throw new AppError("internal", `version ${number} gave no row`);
  const parent = found.parent === null ? null : await loadVersion(ctx.db, found.parent);
  return {
    ...row,
    parent: found.parent,
    hash: found.hash,
    requires: found.requires,
    body: version.body,
    objects: diffContents(parent?.content ?? null, version.content),
  };
}
