import { hrefWith } from "@/components/ui/cursor-pages";

/** What narrows a report, as the address has it. */
export type ReportFilter = { plan?: string; route?: string; client?: string; revision?: string };
type Key = keyof ReportFilter;

export const FILTER_KEYS = [
  "plan",
  "route",
  "client",
  "revision",
] as const satisfies readonly Key[];

/** Clients are not counted by route: whoever asks for one leaves the other. */
const EXCLUDES: Partial<Record<Key, Key>> = { client: "route", route: "client" };

/** A filter with more, or (undefined) less. */
export function narrowed(
  filter: ReportFilter,
  change: { [K in Key]?: string | undefined },
): ReportFilter {
  const next: { [K in Key]?: string | undefined } = { ...filter };
  for (const key of FILTER_KEYS) {
    if (!(key in change)) continue;
    next[key] = change[key];
    const other = EXCLUDES[key];
    if (change[key] !== undefined && other !== undefined) next[other] = undefined;
  }
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
}

export function isNarrowed(filter: ReportFilter): boolean {
  return FILTER_KEYS.some((key) => filter[key] !== undefined);
}

/** The address of a report: its time and mode stay, the filter is what is given. */
export type ReportHref = (filter: ReportFilter) => string;

export function reportHref(path: string, keys: Record<string, string | undefined>): ReportHref {
  return (filter) => hrefWith(path, { ...keys, ...filter });
}
