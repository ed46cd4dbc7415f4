import type { ListsDetail } from "@/lib/core/api/lists";
import { type ListName, type Lists, listSubject } from "@/lib/core/list-entry";
import { listOfRule } from "@/lib/core/own-rules";
import type { ListRow, ListSection } from "./list-actions";

/** Deny first: it is what somebody looks for at night. */
const ORDER: readonly ListName[] = ["deny", "flood", "allow"];
/** Rows shown of a list; a search finds the others. */
export const ROWS_MAX = 200;

type Entry = { value: string; reason: string; perSecond?: number };

type Input = {
  base: Lists;
  drafted: Lists;
  changes: Record<ListName, { change: string | null }>;
  hits: ListsDetail["hits"];
  search: string;
};

/** The lists as the draft has them, what it takes off among them, narrowed to what is searched. */
export function listSections({ base, drafted, changes, hits, search }: Input): ListSection[] {
  return ORDER.map((name) => {
    const rows = rowsOf(base[name], drafted[name]).filter((row) => isFound(row, search));
    return {
      name,
      rows: rows.slice(0, ROWS_MAX),
      total: drafted[name].length,
      found: rows.length,
      change: changes[name].change,
      hits: hits.find(({ rule }) => listOfRule(rule) === name) ?? null,
    };
  });
}

/** In the base's order, what is new last: an entry does not move while it is edited. */
function rowsOf(base: readonly Entry[], drafted: readonly Entry[]): ListRow[] {
  const now = new Map(drafted.map((entry) => [subjectOf(entry), entry]));
  const old = new Set(base.map(subjectOf));
  const kept = base.map((entry) => {
    const after = now.get(subjectOf(entry));
    if (after === undefined) return rowOf(entry, "removed");
    const isSame =
      after.value === entry.value &&
      after.reason === entry.reason &&
      after.perSecond === entry.perSecond;
    return rowOf(after, isSame ? "live" : "changed");
  });
  const added = drafted.filter((entry) => !old.has(subjectOf(entry)));
  return [...kept, ...added.map((entry) => rowOf(entry, "added"))];
}

function rowOf({ value, reason, perSecond = undefined }: Entry, state: ListRow["state"]): ListRow {
  return { value, reason, perSecond: perSecond ?? null, state };
}

function subjectOf({ value }: Entry): string {
  return listSubject(value)?.name ?? value;
}

function isFound({ value, reason }: ListRow, search: string): boolean {
  const text = search.trim().toLowerCase();
  return text === "" || `${value} ${reason}`.toLowerCase().includes(text);
}
