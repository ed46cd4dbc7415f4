import type { ClientId } from "@/lib/core/client-id";
import type { DirectoryEntry } from "@/lib/core/directory";

export type Override = Omit<Extract<DirectoryEntry, { type: "override" }>, "type" | "removed">;

/** Overrides are few: by id, and by the client and rule that they are for. */
export type OverrideTable = {
  /** The client's override of a rule that has not expired. */
  find(client: ClientId, rule: string, nowMs: number): Override | null;
  has(client: ClientId): boolean;
  put(override: Override): void;
  remove(id: string): void;
  all(): Iterable<Override>;
  size(): number;
};

export function createOverrideTable(): OverrideTable {
  const byId = new Map<string, Override>();
  const byClient = new Map<ClientId, Map<string, Override>>();

  function remove(id: string): void {
    const held = byId.get(id);
    if (held === undefined) return;
    byId.delete(id);
    const rules = byClient.get(held.client);
    // Another override may have taken the place since.
    if (rules?.get(held.rule)?.id === id) rules.delete(held.rule);
    if (rules?.size === 0) byClient.delete(held.client);
  }

  return {
    find: (client, rule, nowMs) => {
      const held = byClient.get(client)?.get(rule);
      if (held === undefined) return null;
      if (held.expiresAtMs > nowMs) return held;
      remove(held.id);
      return null;
    },
    has: (client) => byClient.has(client),
    put: (override) => {
      remove(override.id);
      byId.set(override.id, override);
      const rules = byClient.get(override.client) ?? new Map<string, Override>();
      rules.set(override.rule, override);
      byClient.set(override.client, rules);
    },
    remove,
    all: () => byId.values(),
    size: () => byId.size,
  };
}
