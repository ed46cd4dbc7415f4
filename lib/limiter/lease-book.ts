import type { Clock } from "@/lib/clock";
import type { TokenBucket } from "@/lib/core/bucket";
import type { RuleOutcome } from "@/lib/core/check";
import { bucketName, isBucketOf } from "./bucket-name";
import type { LimiterOutcome } from "./fallback";
import {
  type Asking,
  answered,
  askFor,
  dropAll,
  dropExpired,
  isDue,
  isPaused,
  type LeaseHold,
  type Now,
  newHold,
  outcomeFromLease,
  spendLease,
} from "./lease-hold";
import type { MemoryCounters } from "./memory-counters";
import { countUse } from "./rate-meter";
import type { LimiterRule } from "./state-key";

/** About 500 bytes each. */
const HOLDS_MAX = 50_000;
const SWEEP_PER_HOLD = 2;
/** Not used for so long: nothing that it holds is still good. */
const IDLE_MS = 2_000;

/** What can be said of rules without Redis. */
export type FromLeases =
  | {
      answer: "allow" | "refuse";
      /** Rules whose leases the request spends. */
      charged: readonly LimiterRule[];
      /** Shadow rules that the request charges if they pass, which only Redis can say: their turn is after the answer. */
      after: readonly LimiterRule[];
      /** Spends; undefined for a rule of which nothing is known. */
      settle(): (RuleOutcome | undefined)[];
    }
  | { answer: "ask" };

/** Rules as they go to Redis, some with a wish for a lease. */
export type AskedLeases = {
  rules: readonly LimiterRule[];
  /** Takes what Redis said of them, once of each, of those not asked yet nothing; null where it did not decide. */
  answered(outcomes: readonly LimiterOutcome[] | null): void;
};

export type LeaseBook = {
  /** All enforced rules must be leased and every bucket of theirs hold enough, or Redis decides them all. */
  judge(rules: readonly LimiterRule[], request: OfRequest): FromLeases;
  /** Rules as they go to Redis, with a wish for a lease where it is time for one. */
  ask(rules: readonly LimiterRule[]): AskedLeases;
  /** The rules whose lease is half spent and that are not under way. */
  due(rules: readonly LimiterRule[]): AskedLeases[];
  forget(stateKey: string): void;
};

type OfRequest = {
  /** Of a rule that Redis lately refused. */
  findEmpty(rule: LimiterRule): RuleOutcome | undefined;
  hasCandidate(rule: LimiterRule): boolean;
};

export function createLeaseBook({
  clock,
  gateways,
  hotPerSecond,
  counters,
  maxHolds = HOLDS_MAX,
}: {
  clock: Clock;
  gateways: () => number;
  hotPerSecond: number;
  counters: MemoryCounters;
  maxHolds?: number;
}): LeaseBook {
  const holds = new Map<string, LeaseHold>();
  const limitIds = new WeakMap<TokenBucket, number>();
  let limitCount = 0;

  /**
   * Of a bucket under one limit: plans that share it (an address's, say) have their own at the same time, and would drop
   * each other's leases. What an old limit leaves (a publish, an override) runs out unused.
   */
  function holdName(rule: LimiterRule, limit: TokenBucket): string {
    let id = limitIds.get(limit);
    if (id === undefined) {
      limitCount += 1;
      id = limitCount;
      limitIds.set(limit, id);
    }
    return `${bucketName(rule)} ${id}`;
  }

  function nowOf(): Now {
    return { nowMs: clock.monotonicMs(), wallMs: clock.nowMs() };
  }

  function holdOf(rule: LimiterRule, limit: TokenBucket, { nowMs }: Now): LeaseHold {
    const name = holdName(rule, limit);
    const held = holds.get(name);
    if (held !== undefined) return held;
    makeRoom(nowMs);
    const made = newHold(limit, nowMs);
    holds.set(name, made);
    return made;
  }

  function makeRoom(nowMs: number): void {
    let swept = 0;
    for (const [name, hold] of holds) {
      const isIdle = nowMs - hold.meter.startMs > IDLE_MS;
      if (swept === SWEEP_PER_HOLD || (!isIdle && holds.size < maxHolds)) return;
      swept += 1;
      holds.delete(name);
      // One in use goes to the end, unless all are.
      if (!isIdle && hold.meter.isHot && swept < SWEEP_PER_HOLD) holds.set(name, hold);
      else dropAll(hold, counters);
    }
  }

  function askWith(
    rules: readonly LimiterRule[],
    wishes: ReadonlyMap<LimiterRule, LeaseHold>,
    now: Now,
  ): AskedLeases {
    const askings: (Asking | undefined)[] = [];
    const asked = rules.map((rule, index) => {
      const hold = wishes.get(rule);
      if (hold === undefined) return rule;
      const { rule: with_, asking } = askFor(rule, hold, { now, gateways: gateways() });
      askings[index] = asking;
      return with_;
    });
    return {
      rules: asked,
      answered(outcomes) {
        const nowMs = clock.monotonicMs();
        for (const [index, asking] of askings.entries()) {
          if (asking === undefined) continue;
          const outcome = outcomes?.[index] ?? null;
          if (outcome?.unasked === true) continue;
          askings[index] = undefined;
          answered(asking, outcome, { sent: now, nowMs, counters });
        }
      },
    };
  }

  function look(rule: LimiterRule, { findEmpty }: OfRequest, now: Now): Seen {
    if (!isLeased(rule)) return { rule, state: "unknown" };
    const hold = holdOf(rule, rule.limit, now);
    countUse(hold.meter, { nowMs: now.nowMs, cost: rule.cost, hotPerSecond });
    dropExpired(hold, now, counters);
    if (hold.left >= rule.cost) return { rule, state: "has", hold };
    const empty = isPaused(hold, now)
      ? outcomeFromLease(rule, hold, { now, allowed: false, charged: false })
      : findEmpty(rule);
    return empty === undefined
      ? { rule, state: "unknown" }
      : { rule, state: "empty", outcome: empty };
  }

  function settle(
    all: readonly Seen[],
    charged: readonly Seen[],
    now: Now,
  ): (RuleOutcome | undefined)[] {
    for (const seen of charged) {
      if (seen.state !== "has") continue;
      spendLease(seen.hold, seen.rule.cost);
      counters.spentTokens += seen.rule.cost;
    }
    return all.map((seen) => {
      if (seen.state === "unknown") return undefined;
      if (seen.state === "empty") return seen.outcome;
      const of = { now, allowed: true, charged: charged.includes(seen) };
      return outcomeFromLease(seen.rule, seen.hold, of);
    });
  }

  return {
    judge(rules, request) {
      const now = nowOf();
      if (rules.some((rule) => rule.role === "enforced" && !isLeased(rule)))
        return { answer: "ask" };
      const all = rules.map((rule) => look(rule, request, now));
      const open = openTo(all, request);
      if (open === null) return { answer: "ask" };
      const charged = open.filter(({ state }) => state === "has");
      return {
        answer: all.some(refuses) ? "refuse" : "allow",
        charged: charged.map(({ rule }) => rule),
        after: open.filter(({ state }) => state === "unknown").map(({ rule }) => rule),
        settle: () => settle(all, charged, now),
      };
    },
    ask(rules) {
      const now = nowOf();
      const wishes = new Map<LimiterRule, LeaseHold>();
      // Where an enforced rule is not leased, memory will not serve the request, be there a lease or not.
      const isServed = rules.every((rule) => rule.role === "shadow" || isLeased(rule));
      for (const rule of isServed ? rules.filter(isLeased) : []) {
        const hold = holdOf(rule, rule.limit, now);
        if (isDue(hold, rule.cost, now)) wishes.set(rule, hold);
      }
      return askWith(rules, wishes, now);
    },
    due(rules) {
      const now = nowOf();
      const due: AskedLeases[] = [];
      for (const rule of rules) {
        const hold = isLeased(rule) ? holds.get(holdName(rule, rule.limit)) : undefined;
        if (hold === undefined || !isDue(hold, rule.cost, now)) continue;
        // Where Redis does not answer, there is nothing to decide.
        const alone: LimiterRule = { ...rule, role: "enforced", cost: 0, failMode: "open" };
        due.push(askWith([alone], new Map([[alone, hold]]), now));
      }
      return due;
    },
    forget(stateKey) {
      for (const [name, hold] of holds) {
        if (!isBucketOf(name, stateKey)) continue;
        dropAll(hold, counters);
        holds.delete(name);
      }
    },
  };
}

/** What is held of a rule's bucket: enough, nothing as Redis has none, or too little to say. */
type Seen = { rule: LimiterRule } & (
  | { state: "has"; hold: LeaseHold }
  | { state: "empty"; outcome: RuleOutcome }
  | { state: "unknown" }
);

function refuses({ rule, state }: Seen): boolean {
  return state === "empty" && rule.role === "enforced";
}

/**
 * Rules that the request charges if they pass; null where only Redis can tell. As in lib/core/decide.ts: all, if no
 * enforced rule refuses; if one does, its candidate, whose world is without it; if two do, none.
 */
function openTo(all: readonly Seen[], { hasCandidate }: OfRequest): readonly Seen[] | null {
  const refusing = all.filter(refuses);
  const [first] = refusing;
  const isSure = all.every(({ rule, state }) => rule.role === "shadow" || state !== "unknown");
  if (first === undefined) return isSure ? all : null;
  if (refusing.length > 1 || !hasCandidate(first.rule)) return [];
  if (!isSure) return null;
  return all.filter(({ rule }) => rule !== first.rule && rule.ruleId === first.rule.ruleId);
}

function isLeased(rule: LimiterRule): rule is LimiterRule & { limit: TokenBucket } {
  return rule.precision === "leased" && rule.limit.algorithm === "token-bucket";
}
