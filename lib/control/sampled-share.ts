/** Share of hits that are in the log, 0..1; of none, all. */
export function sampledShare(kept: number, seen: number): number {
  return seen === 0 ? 1 : Math.min(1, kept / seen);
}
