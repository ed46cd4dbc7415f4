/** How often a series turns, moves below `least` not counted: what a test of oscillation asks. */
export function turns(series: readonly number[], least: number): number {
  let direction = 0;
  let from = series[0] ?? 0;
  let count = 0;
  for (const value of series) {
    if (Math.abs(value - from) < least) continue;
    const next = Math.sign(value - from);
    if (direction !== 0 && next !== direction) count += 1;
    direction = next;
    from = value;
  }
  return count;
}
