import type { Clock } from "@/lib/clock";
import { shareOfBucket, type TokenBucket } from "@/lib/core/bucket";
import { bindingOutcome, type CheckDecision, type RuleOutcome } from "@/lib/core/check";
import { AppError } from "@/lib/core/errors";
import { createMemoryStore } from "./memory-store";
import type { LimiterRule } from "./state-key";

export type LimiterDecision = CheckDecision & {
  /** Rules that no bucket decided, because their failMode is open or closed. */
  unchecked: readonly string[];
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

type Share = { gateways: number; cost: number; bucket: TokenBucket };

export type Fallback = {
  decide(rules: readonly LimiterRule[]): LimiterDecision;
  forgetAll(): void;
};

/** Decides while Redis does not: by this gateway's share of each limit, or as the rule's failMode says. */
export function createFallback({
  clock,
  fleetSize,
}: {
  clock: Clock;
  fleetSize: () => number;
}): Fallback {
  const store = createMemoryStore({ clock });
  const shares = new WeakMap<TokenBucket, Share>();

  function shareOf({ limit, cost }: LimiterRule, gateways: number): TokenBucket {
    const known = shares.get(limit);
    if (known?.gateways === gateways && known.cost === cost) return known.bucket;
    const bucket = shareOfBucket(limit, gateways, cost);
    shares.set(limit, { gateways, cost, bucket });
    return bucket;
  }

  return {
    decide(rules) {
      const gateways = Math.max(1, Math.floor(fleetSize()));
      const checked = rules
        .filter(({ failMode }) => failMode !== "open")
        .map((rule) => ({
          ...rule,
          limit: rule.failMode === "closed" ? CLOSED : shareOf(rule, gateways),
        }));
      const result = store.checkNow({ rules: checked });
      if (result.verdict === "unavailable") throw new AppError("internal", result.message);
      const unchecked = rules.filter(({ failMode }) => failMode !== "local");
      if (unchecked.length === 0) return { ...result, unchecked: ALL_CHECKED };
      const outcomes = new Map(result.perRule.map((outcome) => [outcome.ruleId, outcome]));
      const perRule = rules.map((rule) => byFailMode(rule, outcomes.get(rule.ruleId)));
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
    forgetAll: () => store.forgetAll(),
  };
}

function byFailMode(rule: LimiterRule, outcome: RuleOutcome | undefined): RuleOutcome {
  if (outcome === undefined) {
    const { ruleId, role, limit } = rule;
    const remaining = limit.burst;
    return { ruleId, role, allowed: true, charged: false, remaining, resetMs: 0, retryAfterMs: 0 };
  }
  if (rule.failMode !== "closed") return outcome;
  return { ...outcome, resetMs: CLOSED_RETRY_MS, retryAfterMs: CLOSED_RETRY_MS };
}
