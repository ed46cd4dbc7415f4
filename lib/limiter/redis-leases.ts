import type { Redis } from "ioredis";
import type { Lease } from "./lease";
import { readScript } from "./scripts";

/** Ends and renews requests in flight in one Redis. What it does not take is lost: leases end by themselves. */
export type RedisLeases = {
  release(leases: readonly Lease[]): void;
  renew(leases: readonly Lease[]): void;
};

/** Of one call: Redis serves nobody else meanwhile. */
const CALL_MAX = 200;

export function createRedisLeases(redis: Redis): RedisLeases {
  redis.defineCommand("headgateRenew", { numberOfKeys: 1, lua: readScript("renew") });
  const client = redis as unknown as RenewCommand;
  return {
    release(leases) {
      if (redis.status !== "ready") return;
      const pipeline = redis.pipeline();
      for (const [key, ids] of byKey(leases))
        pipeline.zrem(key, ...ids.map(({ leaseId }) => leaseId));
      pipeline.exec().catch(lose);
    },
    renew(leases) {
      if (redis.status !== "ready") return;
      for (const [key, all] of byKey(leases)) {
        for (let first = 0; first < all.length; first += CALL_MAX) {
          const some = all.slice(first, first + CALL_MAX);
          const named = some.flatMap(({ leaseId, leaseSeconds }) => [leaseId, leaseSeconds]);
          client.headgateRenew(key, ...named).catch(lose);
        }
      }
    },
  };
}

type RenewCommand = {
  headgateRenew(key: string, ...namesAndSeconds: (string | number)[]): Promise<unknown>;
};

function lose(): void {}

function byKey(leases: readonly Lease[]): Map<string, Lease[]> {
  const keys = new Map<string, Lease[]>();
  for (const lease of leases) {
    const all = keys.get(lease.key);
    if (all === undefined) keys.set(lease.key, [lease]);
    else all.push(lease);
  }
  return keys;
}
