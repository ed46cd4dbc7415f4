import type { ClientId } from "@/lib/core/client-id";
import type { DirectoryBase, DirectoryEntry } from "@/lib/core/directory";
import type { Amount } from "@/lib/core/limit";

export type KnownKey = { client: ClientId; customer: string };
type Override = { id: string; client: ClientId; rule: string; limit: Amount; expiresAtMs: number };

/** The directory in memory: every look-up is one or two of a Map. */
export type DirectoryIndex = {
  /** By a key's keyed hash; null when unknown or removed. */
  findKey(hash: string): KnownKey | null;
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
        if (entry.removed) keys.delete(entry.hash);
        else {
          const { hash, keyId, id, customer } = entry;
          keys.set(hash, { client: `key:${id}`, customer, id, keyId });
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
