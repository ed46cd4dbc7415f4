/** Of all shards together, since the start, only ever rising. */
export type LimiterCounters = {
  checks: number;
  /** Decisions of groups of rules of which this gateway alone was asked, as their Redis did not answer. */
  localDecisions: number;
  timeouts: number;
  /** Reached Redis after their expiry and were not charged; some were asked once more. */
  expired: number;
  /** Answered after their deadline; the answer came too late to count. */
  late: number;
  errors: number;
  disconnected: number;
  breakerOpens: number;
  connectionResets: number;
};

export function createCounters(): LimiterCounters {
  return {
    checks: 0,
    localDecisions: 0,
    timeouts: 0,
    expired: 0,
    late: 0,
    errors: 0,
    disconnected: 0,
    breakerOpens: 0,
    connectionResets: 0,
  };
}
