/** What a rule counted ahead of Redis, in tokens. */
export type Overshoot = {
  /** Counted here and told to Redis. */
  counted: number;
  /** Of these, what was not there any more when Redis heard of it: this gateway's part in the overshoot. */
  overshoot: number;
  /** At most so much, if every gateway counted as much between two syncs as this one did. */
  bound: number;
};

/** What was decided from memory, and what that took. Since the start, only ever rising. */
export type MemoryCounters = {
  /** Decisions without Redis, by what they rested on. */
  decisions: Record<MemoryKind, number>;
  /** Calls for a lease alone; others ride on a check. */
  prefetches: number;
  /** Tokens taken on leases, those of them that no request took in time, and tokens spent. */
  leasedTokens: number;
  expiredTokens: number;
  spentTokens: number;
  syncs: number;
  /** What they said is kept and said again, while its window lasts. */
  failedSyncs: number;
  /** Tokens counted in a window that was over before Redis heard of them. */
  discardedTokens: number;
  /** By rule. */
  overshoot: Map<string, Overshoot>;
};

export type MemoryKind = "known-empty" | "leased" | "approximate";

export function createMemoryCounters(): MemoryCounters {
  return {
    decisions: { "known-empty": 0, leased: 0, approximate: 0 },
    prefetches: 0,
    leasedTokens: 0,
    expiredTokens: 0,
    spentTokens: 0,
    syncs: 0,
    failedSyncs: 0,
    discardedTokens: 0,
    overshoot: new Map(),
  };
}
