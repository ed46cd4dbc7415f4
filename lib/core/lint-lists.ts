import type { LintFinding } from "./api/change";
import { ipClientId, parseCidr } from "./ip";
import { LIST_NAMES, type ListName, type Lists, listSubject } from "./list-entry";
import type { Settings } from "./ruleset";

type Found = Omit<LintFinding, "kind" | "id">;
type Entry = { value: string; reason: string; path: string };
type Range = Entry & { range: NonNullable<ReturnType<typeof parseCidr>> };

/** Prefixes this short reach one in 256 of all IPv4 addresses, or a registry's whole block of IPv6. */
const WIDE_IPV4_BITS = 8;
const WIDE_IPV6_BITS = 16;
const NAMED_MAX = 3;

/** Of one kind of finding a list has one, however many entries it has. */
export function lintLists(lists: Lists, { ipv6PrefixLength }: Settings): LintFinding[] {
  return LIST_NAMES.flatMap((list) => {
    const entries = lists[list].map((entry, i) => ({ ...entry, path: `${i}.value` }));
    const found = [
      ...(list === "deny" ? contradictions(lists, entries) : []),
      ...(list === "flood" ? halfCovered(entries) : wideRanges(list, entries)),
      ...(list === "allow" ? [] : partialClients(entries, ipv6PrefixLength)),
      ...withoutReason(entries),
    ];
    return found.map((one): LintFinding => ({ ...one, kind: "lists", id: list }));
  });
}

function contradictions({ allow }: Lists, denied: readonly Entry[]): Found[] {
  const allowed = new Set(allow.map(({ value }) => listSubject(value)?.name));
  return grouped(
    denied.filter(({ value }) => allowed.has(listSubject(value)?.name)),
    "error",
    "in-two-lists",
    (names, isOne) =>
      `${names} ${isOne ? "is" : "are"} on the allow list too: take ${isOne ? "it" : "them"} off one`,
  );
}

function wideRanges(list: ListName, entries: readonly Entry[]): Found[] {
  const wide = rangesOf(entries).filter(({ range: { network, bits } }) =>
    network.kind() === "ipv4" ? bits <= WIDE_IPV4_BITS : bits <= WIDE_IPV6_BITS,
  );
  return wide.map(({ path, value, range: { network, bits } }) => {
    const family = network.kind() === "ipv4" ? "IPv4" : "IPv6";
    const share =
      bits === 0 ? `every ${family} address` : `1 in ${2 ** bits} of all ${family} addresses`;
    const message =
      list === "allow"
        ? `no rule limits ${value}, which is ${share}`
        : `${value} is refused, which is ${share}; narrower entries of the allow list pass`;
    return { level: "warning", code: "wide-range", path, message };
  });
}

/** A client of IPv6 moves freely within its prefix. */
function partialClients(entries: readonly Entry[], prefixLength: number): Found[] {
  const partial = rangesOf(entries).filter(
    ({ range: { network, bits } }) => network.kind() === "ipv6" && bits > prefixLength,
  );
  return partial.slice(0, 1).map(({ path, value, range }) => {
    const whole = ipClientId(range.network, prefixLength).slice("ip:".length);
    const others = partial.length > 1 ? `, and ${partial.length - 1} more are like it` : "";
    const message = `${value} is less than a client, who has all of ${whole}${others}`;
    return { level: "warning", code: "part-of-client", path, message };
  });
}

function halfCovered(entries: readonly Entry[]): Found[] {
  const all = rangesOf(entries).filter(({ range }) => range.bits === 0);
  const [only, ...more] = all;
  if (only === undefined || more.length > 0) return [];
  const other = only.range.network.kind() === "ipv4" ? "::/0" : "0.0.0.0/0";
  const message = `${only.value} is only half of all addresses: the other half is ${other}`;
  return [{ level: "info", code: "one-family", path: only.path, message }];
}

function withoutReason(entries: readonly Entry[]): Found[] {
  return grouped(
    entries.filter(({ reason }) => reason === ""),
    "info",
    "no-reason",
    (names, isOne) =>
      `${names} ${isOne ? "has" : "have"} no reason: who comes next will not know why`,
  );
}

function grouped(
  entries: readonly Entry[],
  level: Found["level"],
  code: string,
  words: (names: string, isOne: boolean) => string,
): Found[] {
  const [first] = entries;
  if (first === undefined) return [];
  const names = entries.slice(0, NAMED_MAX).map(({ value }) => value);
  const more = entries.length - names.length;
  const named = more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
  return [{ level, code, path: first.path, message: words(named, entries.length === 1) }];
}

function rangesOf(entries: readonly Entry[]): Range[] {
  return entries.flatMap((entry) => {
    const subject = listSubject(entry.value);
    const range = subject?.kind === "ip" ? parseCidr(subject.id) : null;
    return range === null ? [] : [{ ...entry, range }];
  });
}
