const DATE_MAX_MS = 8.64e15;

/** A time that another clock gave: the nearest that is a date at all, as that clock may be anything. */
export function clockDate(ms: number): Date {
  return new Date(Math.min(Math.max(ms, 0), DATE_MAX_MS));
}
