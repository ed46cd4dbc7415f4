import type { AccessLogEntry } from "@/lib/core/access-log";
import type { BacktestRequest } from "@/lib/core/backtest-result";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import { keyedHash } from "@/lib/core/secrets";
import type { SigningKey } from "@/lib/core/snapshot";
import type { Database } from "@/lib/db/client";

/** Keys looked up of one log; the rest of one that names more count as their addresses. */
const KEYS_MAX = 200_000;

type Owner = { client: `key:${string}`; plan: string; customer: string };

export type LogClients = {
  requestsOf(entries: readonly AccessLogEntry[]): Promise<BacktestRequest[]>;
  counts: { withKey: number; unknownKey: number };
};

/** Who sent the lines of a log: the owner of the key that it names, whole or by its prefix, else the address. */
export function createLogClients({
  db,
  apiKeys,
}: {
  db: Database;
  apiKeys: readonly SigningKey[];
}): LogClients {
  const owners = new Map<string, Owner | null>();
  const counts = { withKey: 0, unknownKey: 0 };

  async function lookUp(keys: readonly string[]): Promise<void> {
    const byHash = new Map(
      keys.flatMap((key) => apiKeys.map((secret) => [keyedHash(key, secret), key] as const)),
    );
    const prefixes = new Map<string, string>();
    for (const key of keys) prefixes.set(key.replace(/…$|\.\.\.$|\*+$/, ""), key);
    const found = await db.keySecret.findMany({
      where: {
        OR: [{ hash: { in: [...byHash.keys()] } }, { prefix: { in: [...prefixes.keys()] } }],
      },
      select: {
        hash: true,
        prefix: true,
        key: { select: { id: true, customer: { select: { id: true, plan: true } } } },
      },
    });
    for (const key of keys) owners.set(key, null);
    const claimed = new Map<string, Set<string>>();
    for (const { hash, prefix, key } of found) {
      const { id: customer, plan } = key.customer;
      for (const named of [byHash.get(hash), prefixes.get(prefix)]) {
        if (named === undefined) continue;
        claimed.set(named, (claimed.get(named) ?? new Set()).add(key.id));
        owners.set(named, { client: `key:${key.id}`, plan, customer });
      }
    }
    // A prefix that two keys have is nobody's.
    for (const [named, ids] of claimed) if (ids.size > 1) owners.set(named, null);
  }

  return {
    counts,
    requestsOf: async (entries) => {
      const unknown = new Set<string>();
      for (const { key } of entries)
        if (key !== null && !owners.has(key) && owners.size + unknown.size < KEYS_MAX)
          unknown.add(key);
      if (unknown.size > 0) await lookUp([...unknown]);
      return entries.map(({ key, client: ip, atMs, method, target }) => {
        const owner = key === null ? null : (owners.get(key) ?? null);
        if (owner !== null) counts.withKey += 1;
        else if (key !== null) counts.unknownKey += 1;
        const request = { atMs, ip, method, path: target };
        return owner === null
          ? { ...request, client: `ip:${ip}` as const, plan: ANONYMOUS_PLAN }
          : { ...request, ...owner };
      });
    },
  };
}
