import type { Redis } from "ioredis";
import type { VersionId } from "@/lib/core/version";
import type { ControlKeys } from "./control-keys";

// Moves forward only: a late writer, or one of two workers, never puts an older version over a newer one.
// The whole document is compared, so that one signed with a secret no longer in use, or damaged, is replaced.
// KEYS[1] hash; ARGV epoch, version, hash, document. Returns 1 written, 0 the same was there, -1 newer was there.
const PUT_IF_NEWER = `
local held = redis.call("HMGET", KEYS[1], "epoch", "version", "document")
local epoch, version = tonumber(held[1]), tonumber(held[2])
if epoch and version then
  local newEpoch, newVersion = tonumber(ARGV[1]), tonumber(ARGV[2])
  if epoch > newEpoch or (epoch == newEpoch and version > newVersion) then return -1 end
  if epoch == newEpoch and version == newVersion and held[3] == ARGV[4] then return 0 end
end
redis.call("HSET", KEYS[1], "epoch", ARGV[1], "version", ARGV[2], "hash", ARGV[3], "document", ARGV[4])
return 1
`;

export type SnapshotHead = VersionId & { hash: string };

/** Writes the whole document unless a newer one is there. */
export async function putSnapshot(
  redis: Redis,
  keys: ControlKeys,
  head: SnapshotHead,
  document: Uint8Array,
): Promise<"written" | "same" | "newer"> {
  const reply = await redis.eval(
    PUT_IF_NEWER,
    1,
    keys.snapshot,
    head.epoch,
    head.version,
    head.hash,
    Buffer.from(document),
  );
  return reply === 1 ? "written" : reply === 0 ? "same" : "newer";
}

/** What version Redis holds, without its document; null if none. */
export async function readSnapshotHead(
  redis: Redis,
  keys: ControlKeys,
): Promise<SnapshotHead | null> {
  const [epoch, version, hash] = await redis.hmget(keys.snapshot, "epoch", "version", "hash");
  if (epoch == null || version == null || hash == null) return null;
  return { epoch: Number(epoch), version: Number(version), hash };
}

export function readSnapshotDocument(redis: Redis, keys: ControlKeys): Promise<Uint8Array | null> {
  return redis.hgetBuffer(keys.snapshot, "document");
}
