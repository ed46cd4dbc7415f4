import type { Redis } from "ioredis";
import type { Lease } from "./lease";
import { readScript } from "./scripts";

/**
 * Ends and renews requests in flight in one Redis. Gives back those that a cluster's node sent elsewhere; what else is
 * not taken is lost, as leases end by themselves.
 */
export type RedisLeases = {
  release(leases: readonly Lease[]): Promise<readonly Lease[]>;
  renew(leases: readonly Lease[]): Promise<readonly Lease[]>;
};

/** Of one call: Redis serves nobody else meanwhile. */
const CALL_MAX = 200;

export function createRedisLeases(redis: Redis): RedisLeases {
  redis.defineCommand("headgateRenew", { numberOfKeys: 1, lua: readScript("renew") });
  const client = redis as unknown as RenewCommand;
  return {
    release: (leases) =>
      sent(redis, leases, (key, all) => redis.zrem(key, ...all.map(({ leaseId }) => leaseId))),
    renew: (leases) =>
      sent(redis, leases, (key, all) =>
        client.headgateRenew(
          key,
          ...all.flatMap(({ leaseId, leaseSeconds }) => [leaseId, leaseSeconds]),
        ),
      ),
  };
}

async function sent(
  redis: Redis,
  leases: readonly Lease[],
  send: (key: string, leases: readonly Lease[]) => Promise<unknown>,
): Promise<readonly Lease[]> {
  if (redis.status !== "ready") return NONE;
  const elsewhere: Lease[] = [];
  const calls: Promise<unknown>[] = [];
  for (const [key, all] of byKey(leases)) {
    for (let first = 0; first < all.length; first += CALL_MAX) {
      const some = all.slice(first, first + CALL_MAX);
      calls.push(
        send(key, some).catch((error: unknown) => {
          if (error instanceof Error && REDIRECTED.test(error.message)) elsewhere.push(...some);
        }),
      );
    }
  }
  await Promise.all(calls);
  return elsewhere;
}

const NONE: readonly Lease[] = [];
const REDIRECTED = /^(MOVED|ASK|TRYAGAIN)/;

type RenewCommand = {
  headgateRenew(key: string, ...namesAndSeconds: (string | number)[]): Promise<unknown>;
};

function byKey(leases: readonly Lease[]): Map<string, Lease[]> {
  const keys = new Map<string, Lease[]>();
  for (const lease of leases) {
    const all = keys.get(lease.key);
    if (all === undefined) keys.set(lease.key, [lease]);
    else all.push(lease);
  }
  return keys;
}
