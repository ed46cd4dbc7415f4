import type { ClientId } from "@/lib/core/client-id";
import type { DirectoryBase, DirectoryEntry } from "@/lib/core/directory";
import type { Amount } from "@/lib/core/limit";

export type KnownKey = { client: ClientId; customer: string };
type Override = { id: string; client: ClientId; rule: string; limit: Amount; expiresAtMs: number };

/** A key's id has several hashes while it is rotated, and is gone with the last. */
type Holder = { customer: string; hashes: number };

/** The directory in memory: every look-up is one or two of a Map. */
export type DirectoryIndex = {
  /** By a key's keyed hash; null when unknown or removed. */
  findKey(hash: string): KnownKey | null;
  /** By a key's id: whose it is; null when there is no such key, or no longer. */
  customerOf(keyId: string): string | null;
  /** Null for a customer that is not there. */
  planOf(customer: string): string | null;
  /** The client's override of a rule that has not expired. */
  findOverride(client: ClientId, rule: string, nowMs: number): Amount | null;
  hasOverrides(client: ClientId): boolean;
  apply(entry: DirectoryEntry): void;
  /** Everything in it, as a base's entries. */
  entries(): DirectoryEntry[];
  size(): { keys: number; customers: number; overrides: number };
};

export function createDirectoryIndex(base?: DirectoryBase): DirectoryIndex {
  const keys = new Map<string, KnownKey & { id: string; keyId: string }>();
  const plans = new Map<string, string>();
  const overrides = new Map<string, Override>();
  const byClient = new Map<ClientId, Map<string, Override>>();
  /** Made when first asked for: a gateway without a trusted header need not hold it. */
  let byId: Map<string, Holder> | null = null;

  function countHolders(): Map<string, Holder> {
    const holders = new Map<string, Holder>();
    for (const key of keys.values()) addHolder(holders, key);
    return holders;
  }

  function putKey(hash: string, key: KnownKey & { id: string; keyId: string }): void {
    forgetKey(hash);
    keys.set(hash, key);
    if (byId !== null) addHolder(byId, key);
  }

  function forgetKey(hash: string): void {
    const held = keys.get(hash);
    if (held === undefined) return;
    keys.delete(hash);
    const holder = byId?.get(held.id);
    if (holder === undefined) return;
    holder.hashes -= 1;
    if (holder.hashes === 0) byId?.delete(held.id);
  }

  function forgetOverride(id: string): void {
    const held = overrides.get(id);
    if (held === undefined) return;
    overrides.delete(id);
    const rules = byClient.get(held.client);
    // Another override may have taken the place since.
    if (rules?.get(held.rule)?.id === id) rules.delete(held.rule);
    if (rules?.size === 0) byClient.delete(held.client);
  }

  function putOverride(override: Override): void {
    forgetOverride(override.id);
    overrides.set(override.id, override);
    const rules = byClient.get(override.client) ?? new Map<string, Override>();
    rules.set(override.rule, override);
    byClient.set(override.client, rules);
  }

  function apply(entry: DirectoryEntry): void {
    switch (entry.type) {
      case "key":
        if (entry.removed) forgetKey(entry.hash);
        else {
          const { hash, keyId, id, customer } = entry;
          putKey(hash, { client: `key:${id}`, customer, id, keyId });
        }
        return;
      case "customer":
        if (entry.removed) plans.delete(entry.id);
        else plans.set(entry.id, entry.plan);
        return;
      case "override":
        if (entry.removed) forgetOverride(entry.id);
        else {
          const { id, client, rule, limit, expiresAtMs } = entry;
          putOverride({ id, client, rule, limit, expiresAtMs });
        }
        return;
    }
  }

  for (const entry of base?.entries ?? []) apply(entry);

  return {
    findKey: (hash) => keys.get(hash) ?? null,
    customerOf: (keyId) => {
      byId ??= countHolders();
      return byId.get(keyId)?.customer ?? null;
    },
    planOf: (customer) => plans.get(customer) ?? null,
    findOverride: (client, rule, nowMs) => {
      const held = byClient.get(client)?.get(rule);
      if (held === undefined) return null;
      if (held.expiresAtMs > nowMs) return held.limit;
      forgetOverride(held.id);
      return null;
    },
    hasOverrides: (client) => byClient.has(client),
    apply,
    entries: () => [
      ...[...plans].map(([id, plan]) => ({ type: "customer" as const, id, plan })),
      ...[...keys].map(([hash, { id, keyId, customer }]) => ({
        type: "key" as const,
        hash,
        keyId,
        id,
        customer,
      })),
      ...[...overrides.values()].map((override) => ({ type: "override" as const, ...override })),
    ],
    size: () => ({ keys: keys.size, customers: plans.size, overrides: overrides.size }),
  };
}

function addHolder(
  holders: Map<string, Holder>,
  { id, customer }: { id: string; customer: string },
): void {
  holders.set(id, { customer, hashes: (holders.get(id)?.hashes ?? 0) + 1 });
}
