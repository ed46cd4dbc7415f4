import type { BucketState, Leases } from "./bucket";
import type { BucketLimit } from "./bucket-limit";

/**
 * One rule of one request. `enforced` rules decide together, all or nothing. A `shadow` rule lives in its own
 * world: every enforced rule and itself; it never changes the verdict. A shadow rule with an enforced one's id is
 * its candidate: its world has it in place of that one.
 */
export type CheckRule = {
  ruleId: string;
  /** The state key; rules of one key share one packed value. */
  key: string;
  /** u32, one per rule and counting definition. A (key, slot) occurs once in a check. */
  slot: number;
  role: "enforced" | "shadow";
  limit: BucketLimit;
  /** Whole tokens, 1..1e6 (with `lend` from 0; `force`: 0..4e9). */
  cost: number;
  /**
   * take (where absent): the cost, if it is there. force: what is there, at most the cost, and it allows: what was
   * let through already. refund: gives the cost back, that was taken at `takenUs`, and it allows.
   */
  op?: "take" | "force" | "refund";
  /** Of a refund: the store's clock at the take, µs. */
  takenUs?: number;
  /** Token bucket: whole tokens wanted beyond the cost, to be spent from memory within LEASE_US. */
  lend?: number;
  /** With `lend`: whole tokens of earlier leases that were spent, each said at most once; kept only if charged. */
  spent?: Leases;
  /** The outcome says the state. */
  tells?: true;
};

export type CheckRequest = {
  rules: readonly CheckRule[];
  /**
   * Redis time in µs after which the script must not charge any more; absent while that clock is unknown. A function
   * is asked once, when the check goes out: under load that is a little after it was asked for.
   */
  expiryUs?: number | (() => number | undefined);
  /** What the store's clock says by now, µs, asked for when the check goes out: it chooses the windows of a calendar. */
  clockUs?: () => number;
  /** Names the requests in flight that concurrency rules count; needed if there is such a rule. */
  leaseId?: string;
};

export function expiryOf({ expiryUs }: CheckRequest): number | undefined {
  return typeof expiryUs === "function" ? expiryUs() : expiryUs;
}

/** What one rule said. Times are ms from the store's now, rounded up. */
export type RuleOutcome = {
  ruleId: string;
  role: "enforced" | "shadow";
  /** Whether this rule's own bucket had the cost. */
  allowed: boolean;
  /** Whether this call took the cost from it. */
  charged: boolean;
  /** Whole tokens left after the call, >= 0. */
  remaining: number;
  /** Until one whole token is there; 0 when it is. */
  resetMs: number;
  /** Until the cost is there; 0 when allowed, null when it never can be (cost above burst). */
  retryAfterMs: number | null;
  /** Whole tokens lent, and the generation of leases in which they are summed: of this bucket's own Redis. */
  lent?: number;
  lentIn?: number;
  /** Of `force`: whole tokens of the cost that were not there. */
  lacked?: number;
  /** After the call, without leases; with `tells` only. */
  state?: BucketState;
};

/** `local` = this gateway's own buckets, its share of the limits. */
export type DecisionSource = "redis" | "local";

export type CheckDecision = {
  verdict: "allowed" | "refused";
  /** The enforced rule that headers speak for; null when no enforced rule matched. */
  binding: RuleOutcome | null;
  /** In the order of the request's rules. */
  perRule: RuleOutcome[];
  /** The store's clock, µs. */
  nowUs: number;
  source: DecisionSource;
};

/** Redis did not decide. Nothing was charged, or (timeout, disconnected) will not be after the expiry. */
export type CheckFailure = {
  verdict: "unavailable";
  reason: "timeout" | "disconnected" | "expired" | "error";
  message: string;
  /** The store's clock in µs, where it answered at all (expired). */
  nowUs?: number;
};

export type CheckResult = CheckDecision | CheckFailure;

/**
 * allowed -> the lowest remaining; refused -> the longest wait among the rules that refuse (never counts as
 * longest); ties by rule id. Null without enforced rules.
 */
export function bindingOutcome(outcomes: readonly RuleOutcome[]): RuleOutcome | null {
  const enforced = outcomes.filter((outcome) => outcome.role === "enforced");
  const refusing = enforced.filter((outcome) => !outcome.allowed);
  const candidates = refusing.length > 0 ? refusing : enforced;
  let best: RuleOutcome | null = null;
  for (const outcome of candidates) {
    if (best === null || comesBefore(outcome, best)) best = outcome;
  }
  return best;
}

function comesBefore(a: RuleOutcome, b: RuleOutcome): boolean {
  const byWait = wait(b) - wait(a);
  const order = a.allowed ? a.remaining - b.remaining : Number.isNaN(byWait) ? 0 : byWait;
  if (order !== 0) return order < 0;
  return a.ruleId < b.ruleId;
}

function wait(outcome: RuleOutcome): number {
  return outcome.retryAfterMs ?? Number.POSITIVE_INFINITY;
}
