/** One ingested batch of a gateway's process: its number, and the Unix minute in which its counting began. */
export type IngestedSequence = { sequence: number; minute: number };

type Window = {
  /**
   * What was there: from the nearest batch below `added` (absent when there is none) to the nearest above.
   */
  existing: readonly IngestedSequence[];
  added: readonly IngestedSequence[];
};

/**
 * How the number of missing batches changes, per minute. A gap belongs to the minute of the batch behind it; a
 * late batch that closes or splits one takes it back there, so the sum is always what is really missing.
 */
export function gapChanges({ existing, added }: Window): Map<number, number> {
  const first = Math.min(...added.map(({ sequence }) => sequence));
  const below = existing.filter(({ sequence }) => sequence < first);
  const start = Math.max(0, ...below.map(({ sequence }) => sequence));
  const changes = new Map<number, number>();
  addGaps(changes, [...existing, ...added], start, 1);
  addGaps(changes, existing, start, -1);
  for (const [minute, change] of changes) if (change === 0) changes.delete(minute);
  return changes;
}

function addGaps(
  changes: Map<number, number>,
  rows: readonly IngestedSequence[],
  start: number,
  sign: 1 | -1,
): void {
  let last = start;
  for (const { sequence, minute } of rows.toSorted((a, b) => a.sequence - b.sequence)) {
    const missing = sequence - last - 1;
    if (missing > 0) changes.set(minute, (changes.get(minute) ?? 0) + sign * missing);
    last = Math.max(last, sequence);
  }
}
