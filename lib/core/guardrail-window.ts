/** All that was counted of an enforced change by one moment: sums that only rise. */
export type Look = { atMs: number; requests: number; rejections: number };

/** A window is at least this long, so that one burst is not a share. Longer makes an undo later. */
const TRAILING_MS = 10_000;
const LOOKS_MAX = 400;

type Trailing = {
  seconds: number;
  requests: number;
  rejections: number;
  /** To be handed in at the next look; oldest first. */
  looks: Look[];
};

/**
 * The last seconds of a change: as many as hold `minRequests`, at least ten where it is that old, so that an old good
 * hour hides no bad minute and a quiet rule is judged all the same. `looks` are the ones before, never empty.
 */
export function trailingWindow(
  looks: readonly Look[],
  now: Look,
  { minRequests }: { minRequests: number },
): Trailing {
  const isStart = ({ atMs, requests }: Look) =>
    now.atMs - atMs >= TRAILING_MS && now.requests - requests >= minRequests;
  const at = Math.max(0, looks.findLastIndex(isStart));
  const start = looks[at] ?? now;
  return {
    seconds: Math.max(0, now.atMs - start.atMs) / 1000,
    requests: Math.max(0, now.requests - start.requests),
    rejections: Math.max(0, now.rejections - start.rejections),
    // Older ones than the start are never a start again.
    looks: thinned([...looks.slice(at), now]),
  };
}

/** The start and the last ones stay; of the rest every other one when there are too many. */
function thinned(looks: Look[]): Look[] {
  if (looks.length <= LOOKS_MAX) return looks;
  const recent = looks.length - LOOKS_MAX / 4;
  return looks.filter((_, i) => i % 2 === 0 || i >= recent);
}
