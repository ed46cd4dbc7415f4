/** A hash table in segments, each of which grows by itself: at two millions that moves some thousands, not all at once. */
export const SEGMENTS = 256;
/** At this share of its places taken a segment grows by a quarter, so that it is never less than two thirds full. */
export const FULL = 0.9;
const GROWTH = 1.25;
/** Segments are filled by chance: none gets this many standard deviations more than its share. */
const DEVIATIONS = 4.5;

export function grownPlaces(places: number): number {
  return Math.ceil(places * GROWTH) + 1;
}

/** Places of a segment so that `expected` in all fit without growing. */
export function placesFor(expected: number): number {
  const share = expected / SEGMENTS;
  return Math.ceil((share + DEVIATIONS * Math.sqrt(share)) / FULL);
}
