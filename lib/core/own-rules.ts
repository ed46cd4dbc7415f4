import type { CountedOutcome, CountedRule } from "./counts";

/** What the lists drop is counted as rules of these ids, in every version alike: revision 0. */
export const DENY_RULE: CountedRule = { id: "_deny", revision: 0, mode: "enforce", lane: "live" };
export const FLOOD_RULE: CountedRule = { id: "_flood", revision: 0, mode: "enforce", lane: "live" };

/** Waiting does not help. */
export const DENIED: CountedOutcome = { allowed: false, resetMs: 0, retryAfterMs: null };
/** Of a bucket that refills within a second: a whole token is there by then. */
export const FLOODED: CountedOutcome = { allowed: false, resetMs: 1000, retryAfterMs: 1000 };
export const NOT_FLOODED: CountedOutcome = { allowed: true, resetMs: 0, retryAfterMs: 0 };
