import type { CountedOutcome, CountedRule } from "./counts";

const ENFORCED = { revision: 0, mode: "enforce", lane: "live" } as const;

/** What the lists drop is counted as rules of these ids, in every version alike. */
export const DENY_RULE = { id: "_deny", ...ENFORCED } as const satisfies CountedRule;
export const FLOOD_RULE = { id: "_flood", ...ENFORCED } as const satisfies CountedRule;

/** The list whose drops a rule id counts; null for any other rule. */
export function listOfRule(id: string): "deny" | "flood" | null {
  if (id === DENY_RULE.id) return "deny";
  return id === FLOOD_RULE.id ? "flood" : null;
}

/** Waiting does not help. */
export const DENIED: CountedOutcome = { allowed: false, resetMs: 0, retryAfterMs: null };
/** Of a bucket that refills within a second: a whole token is there by then. */
export const FLOODED: CountedOutcome = { allowed: false, resetMs: 1000, retryAfterMs: 1000 };
export const NOT_FLOODED: CountedOutcome = { allowed: true, resetMs: 0, retryAfterMs: 0 };
