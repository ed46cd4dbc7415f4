import { z } from "zod";
import { parseClientId } from "./client-id";
import { type Network, parseNetworks } from "./ip-ranges";
import { shown, wholeNumber } from "./parse";

export const LIST_ENTRIES_MAX = 10_000;
export const PER_SECOND_MAX = 1_000_000;
const REASON_MAX = 300;

/**
 * What an entry is about in its one spelling, whatever was written: `key:k1`, `customer:acme`,
 * `ip:198.51.100.0/24`. Null if it is none of these.
 */
export function listSubject(value: string): ListSubject | null {
  const held = known.get(value);
  if (held !== undefined) return held;
  const subject = readSubject(value);
  if (subject === null) return null;
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(value, subject);
  return subject;
}

const KINDS = ["key", "customer", "ip"] as const;

export type ListSubject = {
  kind: (typeof KINDS)[number];
  id: string;
  name: string;
  /** The addresses that an `ip` is about. */
  network: Network | null;
};

/**
 * Entries already read. A publish that leaves long lists alone would else read them anew, twice, between two requests
 * of a gateway. Room for three full lists as they were and as they are.
 */
const known = new Map<string, ListSubject>();
const KNOWN_MAX = 6 * LIST_ENTRIES_MAX;

function readSubject(value: string): ListSubject | null {
  const kind = KINDS.find((each) => value.startsWith(`${each}:`)) ?? "ip";
  const text = value.startsWith(`${kind}:`) ? value : `ip:${value}`;
  const name = parseClientId(text);
  if (name === null) return null;
  const id = name.slice(kind.length + 1);
  const network = kind === "ip" ? (parseNetworks([id])[0] ?? null) : null;
  return { kind, id, name, network };
}

function entryValue(words: string, kinds: readonly ListSubject["kind"][]) {
  return z
    .string({ error: (issue) => `value must be text, got ${shown(issue.input)}` })
    .transform((text, context) => {
      const subject = listSubject(text.trim());
      if (subject !== null && kinds.includes(subject.kind))
        // An address stays as it was written, with or without `ip:`.
        return text.trim().startsWith("ip:") || subject.kind !== "ip" ? subject.name : subject.id;
      context.addIssue({
        code: "custom",
        message: `value must be ${words}, got ${shown(text)}`,
      });
      return z.NEVER;
    });
}

const reason = z
  .string({ error: (issue) => `reason must be text, got ${shown(issue.input)}` })
  .trim()
  .max(REASON_MAX, {
    error: (issue) =>
      `reason must be at most ${REASON_MAX} characters, got ${String(issue.input).length}`,
  })
  .regex(/^[^\p{Cc}]*$/u, { error: "reason must be one line without control characters" })
  .default("");

const ClientEntrySchema = z.strictObject({
  value: entryValue(
    "key:<id>, customer:<id>, an address or a CIDR range such as 198.51.100.0/24",
    KINDS,
  ),
  reason,
});

const FloodEntrySchema = z.strictObject({
  value: entryValue(
    "an address or a CIDR range such as 198.51.100.0/24 (flood counts by address)",
    ["ip"],
  ),
  /** Requests a second of each address, at one gateway. */
  perSecond: wholeNumber("perSecond", 1, PER_SECOND_MAX),
  reason,
});

function listOf<S extends z.ZodType<{ value: string }>>(name: string, entry: S) {
  return z
    .array(entry, { error: (issue) => `${name} must be a list, got ${shown(issue.input)}` })
    .max(LIST_ENTRIES_MAX, {
      error: (issue) =>
        `${name} must have at most ${LIST_ENTRIES_MAX} entries, got ${Object(issue.input).length}`,
    })
    .superRefine((entries, context) => {
      const seen = new Map<string, number>();
      for (const [index, { value }] of entries.entries()) {
        const subject = listSubject(value)?.name ?? value;
        const first = seen.get(subject);
        if (first === undefined) seen.set(subject, index);
        else
          context.addIssue({
            code: "custom",
            path: [index, "value"],
            message: `${value} is on the ${name} list already, as entry ${first + 1}`,
          });
      }
    })
    .default([]);
}

/** Who passes without any rule, who is refused, and how often one address may come. Empty by default. */
export const ListsSchema = z.strictObject({
  allow: listOf("allow", ClientEntrySchema),
  deny: listOf("deny", ClientEntrySchema),
  flood: listOf("flood", FloodEntrySchema),
});

export type Lists = z.output<typeof ListsSchema>;

export const LIST_NAMES = ["allow", "deny", "flood"] as const;
export type ListName = (typeof LIST_NAMES)[number];
