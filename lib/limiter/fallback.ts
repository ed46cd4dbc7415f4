import type { Clock } from "@/lib/clock";
import type { TokenBucket } from "@/lib/core/bucket";
import { type BucketLimit, quotaOf, shareOfLimit } from "@/lib/core/bucket-limit";
import { bindingOutcome, type CheckDecision, type RuleOutcome } from "@/lib/core/check";
import { AppError } from "@/lib/core/errors";
import type { Flight } from "./in-flight";
import type { Lease } from "./lease";
import type { MemoryKind } from "./memory-counters";
import { createMemoryStore } from "./memory-store";
import type { LimiterRule } from "./state-key";

/** `unasked`: a shadow rule on another shard, whose turn is not yet or never comes: neither a pass nor a hit. */
export type LimiterOutcome = RuleOutcome & { unasked?: true };

export type LimiterDecision = Omit<CheckDecision, "perRule"> & {
  /** In the order of the request's rules. */
  perRule: LimiterOutcome[];
  /** Rules that no bucket decided, because their failMode is open or closed. */
  unchecked: readonly string[];
  /**
   * Shadow rules on other shards are asked after the answer, off its path. This is then the same decision with what
   * they said; it never rejects.
   */
  later?: Promise<LimiterDecision>;
  /** Of an allowed request that concurrency rules count: to be ended when it is over, however it ends. */
  flight?: Flight;
  /** What a decision without Redis rested on; its `source` is still redis, as it follows from what Redis said. */
  memory?: MemoryKind;
};

export const ALL_CHECKED: readonly string[] = Object.freeze([]);

/** What a client is told to wait when a rule fails closed: nobody knows when Redis is back. */
const CLOSED_RETRY_MS = 1_000;

/** Holds nothing: whoever asks it is refused. */
const CLOSED: TokenBucket = {
  algorithm: "token-bucket",
  rate: 1,
  perSeconds: 1,
  burst: 0,
  gain: 1,
  periodUs: 1,
  capacity: 0,
};

type Share = { gateways: number; cost: number; limit: BucketLimit };

export type Fallback = {
  decide(rules: readonly LimiterRule[], leaseId?: string): LimiterDecision;
  /** Notes a request in flight, whoever allowed it. */
  hold(lease: Lease): void;
  release(lease: Lease): void;
  /** Rules as `refundOf` makes them of a decision of this fallback. */
  refund(rules: readonly LimiterRule[]): void;
  forgetAll(): void;
};

/** Decides while Redis does not: by this gateway's share of each limit, or as the rule's failMode says. */
export function createFallback({
  clock,
  fleetSize,
  nowUs,
}: {
  clock: Clock;
  fleetSize: () => number;
  /** Unix µs that never step back; absent: this machine's clock at the start, going on monotonically. */
  nowUs?: () => number;
}): Fallback {
  const offsetMs = clock.nowMs() - clock.monotonicMs();
  const store = createMemoryStore({
    clock,
    nowUs: nowUs ?? (() => Math.round((clock.monotonicMs() + offsetMs) * 1000)),
  });
  const shares = new WeakMap<BucketLimit, Share>();

  function shareOf({ limit, cost }: LimiterRule, gateways: number): BucketLimit {
    const known = shares.get(limit);
    if (known?.gateways === gateways && known.cost === cost) return known.limit;
    const share = shareOfLimit(limit, gateways, cost);
    shares.set(limit, { gateways, cost, limit: share });
    return share;
  }

  return {
    decide(rules, leaseId) {
      const gateways = Math.max(1, Math.floor(fleetSize()));
      const checked = rules
        .filter(({ failMode }) => failMode !== "open")
        // Leases are taken from Redis, not from this gateway's share.
        .map(({ lend: _lend, spent: _spent, ...rule }) => ({
          ...rule,
          limit: rule.failMode === "closed" ? CLOSED : shareOf(rule, gateways),
        }));
      const result = store.checkNow(
        leaseId === undefined ? { rules: checked } : { rules: checked, leaseId },
      );
      if (result.verdict === "unavailable") throw new AppError("internal", result.message);
      const unchecked = rules.filter(({ failMode }) => failMode !== "local");
      if (unchecked.length === 0) return { ...result, unchecked: ALL_CHECKED };
      const outcomes = new Map(result.perRule.map((outcome) => [nameOf(outcome), outcome]));
      const perRule = rules.map((rule) => byFailMode(rule, outcomes.get(nameOf(rule))));
      const open = new Set(
        rules.filter(({ failMode }) => failMode === "open").map((r) => r.ruleId),
      );
      return {
        ...result,
        perRule,
        // An open rule was not looked at: it has no remaining that a header could tell.
        binding: bindingOutcome(perRule.filter(({ ruleId }) => !open.has(ruleId))),
        unchecked: unchecked.map(({ ruleId }) => ruleId),
      };
    },
    refund(rules) {
      const gateways = Math.max(1, Math.floor(fleetSize()));
      store.checkNow({ rules: rules.map((rule) => ({ ...rule, limit: shareOf(rule, gateways) })) });
    },
    hold: store.hold,
    release: store.release,
    forgetAll: () => store.forgetAll(),
  };
}

/** A candidate has the id of its live rule. */
function nameOf({ ruleId, role }: Pick<RuleOutcome, "ruleId" | "role">): string {
  return `${role} ${ruleId}`;
}

function byFailMode(rule: LimiterRule, outcome: RuleOutcome | undefined): RuleOutcome {
  if (outcome === undefined) {
    const { ruleId, role, limit } = rule;
    const remaining = quotaOf(limit);
    return { ruleId, role, allowed: true, charged: false, remaining, resetMs: 0, retryAfterMs: 0 };
  }
  if (rule.failMode !== "closed") return outcome;
  return { ...outcome, resetMs: CLOSED_RETRY_MS, retryAfterMs: CLOSED_RETRY_MS };
}
