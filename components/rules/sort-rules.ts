import type { RuleHits, RuleRow } from "@/lib/core/api/rules";
import { MODES } from "@/lib/core/rule";

export const RULE_SORTS = ["rejects", "change", "name", "mode", "changed"] as const;
export type RuleSort = { by: (typeof RULE_SORTS)[number]; isDescending: boolean };

/** What is refusing right now comes first. */
export const DEFAULT_RULE_SORT: RuleSort = { by: "rejects", isDescending: true };

/** `rejects.desc`, as an address writes it; anything else is the default. */
export function parseRuleSort(text: string | undefined): RuleSort {
  const [name, direction] = (text ?? "").split(".");
  const by = RULE_SORTS.find((each) => each === name);
  return by === undefined || (direction !== "asc" && direction !== "desc")
    ? DEFAULT_RULE_SORT
    : { by, isDescending: direction === "desc" };
}

/** Sorted; rows that are equal keep the order of their ids, whichever way round. */
export function sortRules(rows: readonly RuleRow[], { by, isDescending }: RuleSort): RuleRow[] {
  const sign = isDescending ? -1 : 1;
  return [...rows].sort(
    (a, b) => sign * COMPARE[by](a, b) || enforcedFirst(a, b) || (a.id < b.id ? -1 : 1),
  );
}

/** Against the same hour a day ago: 1 is as many; null when nothing was counted then. */
export function againstYesterday({ lastHour, yesterday }: RuleHits): number | null {
  if (yesterday === null) return null;
  if (yesterday === 0) return lastHour === 0 ? 1 : Number.POSITIVE_INFINITY;
  return lastHour / yesterday;
}

type Compare = (a: RuleRow, b: RuleRow) => number;

const COMPARE: Record<RuleSort["by"], Compare> = {
  rejects: (a, b) => compare(isRefusing(a), isRefusing(b)) || nowOf(a) - nowOf(b),
  change: (a, b) => compare(againstYesterday(a.hits) ?? -1, againstYesterday(b.hits) ?? -1),
  name: (a, b) => a.name.localeCompare(b.name, "en"),
  mode: (a, b) => MODES.indexOf(a.mode) - MODES.indexOf(b.mode),
  changed: (a, b) => Date.parse(a.changedAt) - Date.parse(b.changedAt),
};

/** Real rejections come before would-be ones, however many. */
function isRefusing({ mode, hits }: RuleRow): number {
  return mode === "enforce" && hits.perMinuteNow > 0 ? 1 : 0;
}

/** A rule that is off rejects nothing, whatever it counted before. */
function nowOf({ mode, hits }: RuleRow): number {
  return mode === "off" ? -1 : hits.perMinuteNow;
}

const enforcedFirst: Compare = (a, b) => MODES.indexOf(b.mode) - MODES.indexOf(a.mode);

function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
