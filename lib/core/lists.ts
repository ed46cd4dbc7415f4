import type { Identity } from "./identity";
import { addressKey, compilePrefixes, type Network, type PrefixTable } from "./ip-ranges";
import { LIST_NAMES, type ListSubject, type Lists, listSubject } from "./list-entry";

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

/**
 * Of allow and deny the narrowest entry decides: a key before its customer before an address, a longer prefix
 * before a shorter one; of equals allow. Flood is asked where neither decides; there too the narrowest counts.
 * Lists that decide as the previous ones do are the previous ones.
 */
export function compileLists(lists: Lists, previous?: CompiledLists): CompiledLists {
  const held = previous && sourceOf.get(previous);
  if (previous !== undefined && held !== undefined && areSame(held, lists)) return previous;
  const compiled = compile(lists);
  sourceOf.set(compiled, lists);
  return compiled;
}

/** What lists were compiled from, so that a version that leaves them alone takes them over. */
const sourceOf = new WeakMap<CompiledLists, Lists>();

/** In what decides: reasons do not. */
function areSame(a: Lists, b: Lists): boolean {
  return LIST_NAMES.every((name) => {
    const before: readonly Decides[] = a[name];
    const after: readonly Decides[] = b[name];
    const isSame = (entry: Decides, i: number) =>
      entry.value === after[i]?.value && entry.perSecond === after[i]?.perSecond;
    return before.length === after.length && before.every(isSame);
  });
}

type Decides = { value: string; perSecond?: number };

function compile({ allow, deny, flood }: Lists): CompiledLists {
  if (allow.length + deny.length + flood.length === 0) return { find: () => null };
  const entries = [
    ...allow.flatMap((entry) => entryOf(entry.value, { list: "allow", value: entry.value })),
    ...deny.flatMap((entry) => entryOf(entry.value, { list: "deny", value: entry.value })),
  ];
  const clients = named(entries, ({ kind, name }) => (kind === "ip" ? null : name));
  const customers = named(entries, ({ kind, id }) => (kind === "customer" ? id : null));
  const addresses = ranges(entries);
  const floods = ranges(
    flood.flatMap(({ value, perSecond }) => entryOf(value, { list: "flood", value, perSecond })),
  );
  return {
    find: ({ client, customer, ip }) => {
      const byName =
        clients.get(client) ?? (customer === null ? undefined : customers.get(customer));
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

/** By what `nameOf` gives, as an identity has it; null: left out. Of equals the first counts. */
function named(
  entries: readonly Entry[],
  nameOf: (subject: ListSubject) => string | null,
): Map<string, ListRuling> {
  const found = new Map<string, ListRuling>();
  for (const { subject, ruling } of entries) {
    const name = nameOf(subject);
    if (name !== null && !found.has(name)) found.set(name, ruling);
  }
  return found;
}

function ranges(entries: readonly Entry[]): PrefixTable<ListRuling> {
  const networks = entries.flatMap(({ subject, ruling }): (Network & { value: ListRuling })[] =>
    subject.network === null ? [] : [{ ...subject.network, value: ruling }],
  );
  return compilePrefixes(networks);
}
