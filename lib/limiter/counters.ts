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
  /** Buckets that got back what they gave, as a rule on another shard refused. */
  refunds: number;
  /** Buckets that perhaps did not: there the next refill makes up for it. */
  lostRefunds: number;
  /** A call named keys of several slots: a fault of this program. */
  crossSlot: number;
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
    refunds: 0,
    lostRefunds: 0,
    crossSlot: 0,
  };
}
