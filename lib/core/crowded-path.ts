import { isParameter } from "./route-template";

type Routed = { globs: readonly (readonly string[])[] | null };
export type CrowdedPath<T> = { set: readonly T[]; path: string; isExact: boolean };

/** How far a path has come in one glob of an item. */
type Place<T> = { item: T; glob: readonly string[]; at: number; number: number };

/** A path so far, and where it is in the globs after one more segment. */
type Ahead<T> = { wild: readonly Place<T>[]; named: readonly Place<T>[]; path: string };

/** A place costs as much as some conditions that are looked at. */
const PLACE_WORK = 10;

const NOTHING: readonly never[] = [];

/** Stands for a segment that no glob names. */
const ANY = "-";

/**
 * A path that more than `max` items fit, null when there is none. Walks all globs at once, segment by segment; a
 * segment that some glob names fits whatever one that none names would fit. Takes from `budget` each place looked
 * at; when it is spent, what is still in play is the answer, and not exact.
 */
export function crowdedPath<T extends Routed>(
  items: readonly T[],
  max: number,
  budget: { work: number },
): CrowdedPath<T> | null {
  const free = items.filter(({ globs }) => globs === null);
  const seen = new Set<string>();
  const start: Place<T>[] = [];
  for (const item of items)
    for (const glob of item.globs ?? []) start.push({ item, glob, at: 0, number: start.length });
  // Depth first, without recursion: a path may be long.
  const open: Ahead<T>[] = [{ wild: start, named: NOTHING, path: "" }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path } = next;
    // Not before its turn comes: most never do.
    const places = withSkipped([...next.wild, ...next.named]);
    budget.work -= PLACE_WORK * places.length;
    const alive = itemsOf(places);
    if (free.length + alive.size <= max) continue;
    const name = nameOf(places);
    if (seen.has(name)) continue;
    seen.add(name);
    if (budget.work <= 0) return { set: [...free, ...alive], path: path || "/", isExact: false };
    const fitting = itemsOf(places.filter(({ glob, at }) => at === glob.length));
    if (free.length + fitting.size > max)
      return { set: [...free, ...fitting], path: path || "/", isExact: true };
    const { wild, literals } = nextPlaces(places);
    if (literals.size === 0) open.push({ wild, named: NOTHING, path: `${path}/${ANY}` });
    for (const [segment, named] of literals) open.push({ wild, named, path: `${path}/${segment}` });
  }
  return null;
}

/** Where each glob is after one more segment: any, or the one that it names. */
function nextPlaces<T>(places: readonly Place<T>[]) {
  const wild: Place<T>[] = [];
  const literals = new Map<string, Place<T>[]>();
  for (const place of places) {
    const wanted = place.glob[place.at];
    if (wanted === undefined) continue;
    const next = { ...place, at: place.at + 1 };
    if (wanted === "**") wild.push(place);
    else if (isParameter(wanted)) wild.push(next);
    else {
      const named = literals.get(wanted);
      if (named === undefined) literals.set(wanted, [next]);
      else named.push(next);
    }
  }
  return { wild, literals };
}

/** Also the places behind a `**`, which may be no segment at all; each once. */
function withSkipped<T>(places: readonly Place<T>[]): Place<T>[] {
  const all = new Map<string, Place<T>>();
  for (const place of places) {
    for (let { at } = place; ; at += 1) {
      const name = `${place.number}.${at}`;
      if (all.has(name)) break;
      all.set(name, { ...place, at });
      if (place.glob[at] !== "**") break;
    }
  }
  return [...all.values()];
}

function itemsOf<T>(places: readonly Place<T>[]): Set<T> {
  return new Set(places.map(({ item }) => item));
}

function nameOf<T>(places: readonly Place<T>[]): string {
  return places
    .map(({ number, at }) => `${number}.${at}`)
    .sort()
    .join(" ");
}
