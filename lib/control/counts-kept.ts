const DAY_MS = 86_400_000;

/**
 * How long counts are kept, by level. A partition goes once all of it is older, so rows are there up to a day, a week or a month
 * longer.
 */
export const COUNTS_KEPT_MS = {
  /** Two weekends, to compare with; by far the most rows. */
  minutes: 14 * DAY_MS,
  /** A quarter: reports reach 92 days back. */
  hours: 95 * DAY_MS,
  /** The same month of last year. */
  days: 400 * DAY_MS,
  /** Single requests, with their clients: as long as minutes, so that a log stands beside its counts. */
  hits: 14 * DAY_MS,
} as const;
