import { AppError } from "@/lib/core/errors";
import { compareVersions, type VersionId } from "@/lib/core/version";
import { inTransaction } from "@/lib/db/client";
import { lockInstallation } from "@/lib/db/installation";
import { enqueue } from "@/lib/db/outbox";
import { writeVersion } from "./commit-version";
import type { Ctx } from "./context";
import { loadVersion } from "./live-version";
import { requirePermission } from "./permission";

/**
 * Gateways ignore what is older than what they run, so after a restored or fresh database nothing would reach
 * them: a version above the one that was seen brings the live content to them. Nothing happens when it is not newer.
 */
export async function raiseEpoch(ctx: Ctx, { seen }: { seen: VersionId }): Promise<VersionId> {
  requirePermission(ctx, "publish");
  const raised = await inTransaction(ctx.db, async (tx) => {
    const installation = await lockInstallation(tx);
    if (installation === null || installation.version === 0)
      throw new AppError("unavailable", "Headgate is not set up yet: its seed has not run");
    const { epoch, version } = installation;
    if (compareVersions(seen, { epoch, version }) <= 0) return { epoch, version };
    const live = await loadVersion(tx, version);
    const now = Math.floor(ctx.clock.nowMs() / 1000);
    const id = {
      epoch: Math.max(now, seen.epoch + 1, epoch + 1),
      version: Math.max(seen.version, version) + 1,
    };
    const met = `version ${seen.version} of epoch ${seen.epoch}`;
    await writeVersion(ctx, tx, {
      installation,
      live,
      id,
      plan: {
        kind: "publish",
        message: `the live rules again, above ${met}, which this database does not know`,
        content: live.content,
        evidence: "exempt",
        allowSame: true,
        audit: {
          action: "version.raise",
          kind: "version",
          objectId: String(id.version),
          did: `raised the epoch from ${epoch} to ${id.epoch}: the fleet had ${met}, this database only ${version} of ${epoch}`,
        },
      },
    });
    // The directory's sequence goes on in the new epoch; gateways load its base again.
    await enqueue(tx, { kind: "directory", epoch: id.epoch, seq: installation.directorySeq });
    ctx.log.warn(
      { seen, epoch: id.epoch, version: id.version },
      "a newer world was met: epoch raised",
    );
    return id;
  });
  return raised;
}
