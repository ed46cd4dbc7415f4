import type { FieldDiff } from "./api/change";
import { fieldDiff, isEqual } from "./field-diff";
import { type ListName, listSubject } from "./list-entry";

type Entry = { value: string; reason: string; perSecond?: number };
type Words = Pick<FieldDiff, "sentence" | "direction" | "loud">;

/** Entries are compared by whom they are about, however that is spelled; where none differs, their order does. */
export function diffList(
  list: ListName,
  before: readonly Entry[],
  after: readonly Entry[],
): FieldDiff[] {
  const old = bySubject(before);
  const now = bySubject(after);
  const diffs = [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((subject) => {
    const values = [old.get(subject), now.get(subject)] as const;
    const words = entryWords(list, ...values);
    return words === null
      ? []
      : [fieldDiff(values[1]?.value ?? subject, values, words.sentence, words)];
  });
  if (diffs.length > 0) return diffs;
  const sentence = `every ${list} entry as before, in another order`;
  return [fieldDiff("", [before, after], sentence, { direction: "same" })];
}

function bySubject(entries: readonly Entry[]): Map<string, Entry> {
  return new Map(entries.map((entry) => [listSubject(entry.value)?.name ?? entry.value, entry]));
}

/** Loud: somebody is refused, or no longer exempt, from the moment of the publish. */
function entryWords(list: ListName, before?: Entry, after?: Entry): Words | null {
  if (before === undefined)
    return after === undefined ? null : { sentence: `adds ${named(list, after)}`, ...ADDED[list] };
  if (after === undefined) return { sentence: `removes ${named(list, before)}`, ...REMOVED[list] };
  if (isEqual(before, after)) return null;
  if (before.perSecond !== after.perSecond) return rateWords(before, after);
  const sentence =
    before.reason === after.reason
      ? `spells ${list} entry ${before.value} as ${after.value}`
      : `${list} entry ${after.value}: reason ${quoted(before.reason)} → ${quoted(after.reason)}`;
  return { sentence, direction: "same", loud: false };
}

const ADDED = {
  allow: { direction: "looser", loud: false },
  deny: { direction: "stricter", loud: true },
  flood: { direction: "stricter", loud: true },
} as const;

const REMOVED = {
  allow: { direction: "stricter", loud: true },
  deny: { direction: "looser", loud: false },
  flood: { direction: "looser", loud: false },
} as const;

function rateWords({ perSecond: old = 0 }: Entry, { value, perSecond: now = 0 }: Entry): Words {
  const direction = now < old ? "stricter" : "looser";
  const times = now < old ? old / now : now / old;
  const factor = Number.isInteger(times) ? times : times.toFixed(1);
  const sentence = `flood entry ${value}: ${old} → ${now} requests a second: ${factor} times ${direction}`;
  return { sentence, direction, loud: times >= 10 };
}

function named(list: ListName, { value, reason, perSecond }: Entry): string {
  const rate =
    perSecond === undefined ? "" : `: at most ${perSecond} a second of one address at a gateway`;
  return `${list} entry ${value}${rate}${reason === "" ? "" : ` (${reason})`}`;
}

function quoted(reason: string): string {
  return reason === "" ? "empty" : `"${reason}"`;
}
