import { raiseEpoch } from "@/lib/control";
import { encodeVersion } from "@/lib/control/encode-version";
import { getInstallation } from "@/lib/control/live-version";
import { compareVersions, type VersionId } from "@/lib/core/version";
import { publishNotice } from "@/lib/redis/notices";
import { putSnapshot, readSnapshotHead } from "@/lib/redis/snapshot";
import type { WorkerCtx } from "./worker-context";

/** Writes the live version's document to Redis, forward only, and tells the fleet. Resolves once Redis took both. */
export async function announceVersion(ctx: WorkerCtx): Promise<VersionId> {
  const announced = await putLive(ctx);
  if (announced !== null) return announced;
  // Newer there than what we read: another worker was faster, or this database is an older one than the fleet's.
  const head = await readSnapshotHead(ctx.redis, ctx.redisKeys);
  if (head !== null) await meetVersion(ctx, head);
  const again = await putLive(ctx);
  if (again === null) throw new Error("Redis holds a newer version than the database, twice");
  return again;
}

/** As `announceVersion`, but sends the document only when Redis holds another version than the live one. */
export async function reassertVersion(ctx: WorkerCtx): Promise<void> {
  const head = await readSnapshotHead(ctx.redis, ctx.redisKeys);
  const { epoch, version } = await getInstallation(ctx.db);
  const isThere = head !== null && compareVersions(head, { epoch, version }) === 0;
  if (isThere) await publishNotice(ctx.redis, ctx.redisKeys, { kind: "version", ...head });
  else await announceVersion(ctx);
}

/**
 * Somebody runs `seen`. A version that this database does not know means that it was restored or made anew: its
 * epoch rises above, so that the fleet follows it again. `seen` must have been read before this is called.
 */
export async function meetVersion(ctx: WorkerCtx, seen: VersionId): Promise<boolean> {
  const { epoch, version } = await getInstallation(ctx.db);
  if (compareVersions(seen, { epoch, version }) <= 0) return false;
  const raised = await raiseEpoch(ctx, { seen: { epoch: seen.epoch, version: seen.version } });
  ctx.log.warn(
    { seen, known: { epoch, version }, raised },
    "met a version that this database does not know",
  );
  return true;
}

async function putLive(ctx: WorkerCtx): Promise<VersionId | null> {
  const installation = await getInstallation(ctx.db);
  const { epoch, version, hash, document } = await encodeVersion(ctx, installation.version);
  const head = { epoch, version, hash };
  if ((await putSnapshot(ctx.redis, ctx.redisKeys, head, document)) === "newer") return null;
  await publishNotice(ctx.redis, ctx.redisKeys, { kind: "version", ...head });
  return { epoch, version };
}
