import type { Identity } from "./identity";
import {
  addressKey,
  compilePrefixes,
  type Network,
  type PrefixTable,
  parseNetworks,
} from "./ip-ranges";
import { type ListSubject, type Lists, listSubject } from "./list-entry";

/** What the lists say of a request; made once per entry, so that asking allocates nothing. */
export type ListRuling =
  | { list: "allow" | "deny"; value: string }
  /** `perSecond`: requests a second of this client's address at one gateway. */
  | { list: "flood"; value: string; perSecond: number };

export type CompiledLists = {
  /** The entry that decides; null when none does. Time does not grow with the lists' length but by its logarithm. */
  find(who: Pick<Identity, "client" | "customer" | "ip">): ListRuling | null;
};

type Entry = { subject: ListSubject; ruling: ListRuling };

const NO_LISTS: CompiledLists = { find: () => null };

/**
 * Of allow and deny the narrowest entry decides: a key before its customer before an address, a longer prefix
 * before a shorter one; of equals allow. Flood is asked where neither decides; there too the narrowest counts.
 */
export function compileLists({ allow, deny, flood }: Lists): CompiledLists {
  if (allow.length + deny.length + flood.length === 0) return NO_LISTS;
  const entries = [
    ...allow.flatMap((entry) => entryOf(entry.value, { list: "allow", value: entry.value })),
    ...deny.flatMap((entry) => entryOf(entry.value, { list: "deny", value: entry.value })),
  ];
  const keys = named(entries, "key");
  const customers = named(entries, "customer");
  const addresses = ranges(entries);
  const floods = ranges(
    flood.flatMap(({ value, perSecond }) => entryOf(value, { list: "flood", value, perSecond })),
  );
  return {
    find: ({ client, customer, ip }) => {
      const byName = keys.get(client) ?? (customer === null ? undefined : customers.get(customer));
      if (byName !== undefined) return byName;
      const address = addressKey(ip);
      return (addresses.find(address) ?? floods.find(address))?.value ?? null;
    },
  };
}

/** What is no entry (the schema refuses it) is left out. */
function entryOf(value: string, ruling: ListRuling): Entry[] {
  const subject = listSubject(value);
  return subject === null ? [] : [{ subject, ruling }];
}

/** Keys by client id, customers by their bare id, as an identity has them. Of equals the first counts. */
function named(entries: readonly Entry[], kind: "key" | "customer"): Map<string, ListRuling> {
  const found = new Map<string, ListRuling>();
  for (const { subject, ruling } of entries) {
    if (subject.kind !== kind) continue;
    const id = kind === "key" ? subject.name : subject.id;
    if (!found.has(id)) found.set(id, ruling);
  }
  return found;
}

function ranges(entries: readonly Entry[]): PrefixTable<ListRuling> {
  const networks = entries.flatMap(({ subject, ruling }): (Network & { value: ListRuling })[] =>
    subject.kind === "ip"
      ? parseNetworks([subject.id]).map((network) => ({ ...network, value: ruling }))
      : [],
  );
  return compilePrefixes(networks);
}
