import { ChevronLeft, ChevronRight } from "lucide-react";
import { formatCount, formatPlural } from "./format";
import { ButtonLink } from "./link";
import type { Noun } from "./pagination";

/** In the address: the cursors of the pages before and including this one, oldest first. */
export const PAGES_KEY = "pages";
const BETWEEN = "~";

export type CursorPlace = {
  cursors: readonly string[];
  /** Of this page; undefined on the first. */
  cursor: string | undefined;
};

export function cursorPlace(text: string | undefined): CursorPlace {
  const cursors = text === undefined ? [] : text.split(BETWEEN).filter((part) => part !== "");
  return { cursors, cursor: cursors.at(-1) };
}

type CursorPagesProps = {
  place: CursorPlace;
  next: string | undefined;
  shown: number;
  pageSize: number;
  /** All rows that the filters leave, when the server counted them. */
  total?: number;
  /** It stopped counting there. */
  isTotalLeast?: boolean;
  noun: Noun;
  path: string;
  /** The address's other keys: they stay. */
  query: Record<string, string | undefined>;
};

/** Pages of a list that the server reads by cursor: each has an address, and rows added meanwhile shift nothing. */
export function CursorPages(props: CursorPagesProps) {
  const { place, next, shown, pageSize, noun, path, query } = props;
  const before = place.cursors.length * pageSize;
  const href = (cursors: readonly string[]) =>
    hrefWith(path, { ...query, [PAGES_KEY]: cursors.join(BETWEEN) });
  const isOnly = place.cursors.length === 0 && next === undefined;
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 text-sm text-muted">
      <p>{isOnly ? formatPlural(shown, noun.one, noun.many) : range(props, before)}</p>
      {!isOnly && (
        <nav aria-label="Pages" className="flex flex-wrap items-center gap-2">
          {place.cursors.length > 1 && (
            <ButtonLink size="sm" variant="ghost" href={href([])}>
              First page
            </ButtonLink>
          )}
          {place.cursors.length > 0 && (
            <ButtonLink size="sm" href={href(place.cursors.slice(0, -1))}>
              <ChevronLeft aria-hidden /> Previous
            </ButtonLink>
          )}
          {next !== undefined && (
            <ButtonLink size="sm" href={href([...place.cursors, next])}>
              Next <ChevronRight aria-hidden />
            </ButtonLink>
          )}
        </nav>
      )}
    </div>
  );
}

function range(
  { shown, total, isTotalLeast = false, noun }: CursorPagesProps,
  before: number,
): string {
  const rows = shown === 0 ? "None" : `${formatCount(before + 1)}–${formatCount(before + shown)}`;
  if (total === undefined) return `${noun.many[0]?.toUpperCase()}${noun.many.slice(1)} ${rows}`;
  if (isTotalLeast) return `${rows} of more than ${formatCount(total)} ${noun.many}`;
  return `${rows} of ${formatPlural(total, noun.one, noun.many)}`;
}

/** A path with those keys of a query that have a value. */
export function hrefWith(path: string, query: Record<string, string | undefined>): string {
  const text = new URLSearchParams(
    Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1])),
  ).toString();
  return text === "" ? path : `${path}?${text}`;
}
