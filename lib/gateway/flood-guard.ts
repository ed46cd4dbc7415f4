import type { Clock } from "@/lib/clock";

/**
 * Addresses followed in a second. More requests than one process serves in that time; what comes beyond them
 * is let through, so a flood of addresses costs neither memory nor service.
 */
const FOLLOWED_MAX = 50_000;

type Bucket = { level: number; atMs: number };

export type FloodGuard = {
  /** Whether the address may make one more request; what is refused spends nothing. */
  admit(address: string, perSecond: number): boolean;
};

/**
 * A token bucket per address: `perSecond` tokens, refilled as fast. What was not touched for a second is full
 * again, so the buckets of this and the last second are all that there is to keep.
 */
export function createFloodGuard({
  clock,
  followedMax = FOLLOWED_MAX,
}: {
  clock: Pick<Clock, "monotonicMs">;
  followedMax?: number;
}): FloodGuard {
  let second = 0;
  let now = new Map<string, Bucket>();
  let before = new Map<string, Bucket>();

  function turnTo(next: number): void {
    before = next === second + 1 ? now : new Map();
    now = new Map();
    second = next;
  }

  function bucketOf(address: string, perSecond: number, nowMs: number): Bucket | null {
    const held = now.get(address);
    if (held !== undefined) return held;
    if (now.size >= followedMax) return null;
    const bucket = before.get(address) ?? { level: perSecond, atMs: nowMs };
    now.set(address, bucket);
    return bucket;
  }

  return {
    admit: (address, perSecond) => {
      const nowMs = clock.monotonicMs();
      const at = Math.floor(nowMs / 1000);
      if (at !== second) turnTo(at);
      const bucket = bucketOf(address, perSecond, nowMs);
      if (bucket === null) return true;
      const refilled = bucket.level + ((nowMs - bucket.atMs) * perSecond) / 1000;
      bucket.level = Math.min(perSecond, refilled);
      bucket.atMs = nowMs;
      if (bucket.level < 1) return false;
      bucket.level -= 1;
      return true;
    },
  };
}
