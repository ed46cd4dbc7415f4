import {
  type BucketState,
  fullAtUs,
  fullBucket,
  MICRO,
  refill,
  spend,
  type TokenBucket,
  waitUs,
} from "./bucket";
import {
  bindingOutcome,
  type CheckDecision,
  type CheckRule,
  type DecisionSource,
  type RuleOutcome,
} from "./check";
import { AppError } from "./errors";
import type { StateRecord } from "./record";

export type StateWrite = {
  key: string;
  records: StateRecord[];
  /** From now until the last of the records is full again; at least 1. */
  ttlSeconds: number;
};

export type Decided = { decision: CheckDecision; writes: StateWrite[] };

type Input = {
  rules: readonly CheckRule[];
  /** What is kept under each key; an absent key means that all its buckets are full. */
  records: ReadonlyMap<string, readonly StateRecord[]>;
  nowUs: number;
  source: DecisionSource;
};

const FULL_AT_MAX = 4_294_967_295;

/**
 * Decides a whole check: the one arithmetic that lua/check.lua repeats. Enforced rules are charged when all of
 * them pass, a shadow rule when they and itself pass, so a refusal writes nothing. A record past its `fullAt`
 * counts as absent, whether or not Redis has dropped its key yet.
 * Throws `internal` when two rules mean one bucket.
 */
export function decide({ rules, records, nowUs, source }: Input): Decided {
  assertDistinctBuckets(rules);
  const refilled = rules.map((rule) =>
    refillOrFull(findState(records.get(rule.key), rule.slot, nowUs), rule.limit, nowUs),
  );
  const decision = judge({ rules, refilled, nowUs, source });
  const writes: StateWrite[] = [];
  const written = new Set<string>();
  for (const [index, rule] of rules.entries()) {
    if (decision.perRule[index]?.charged !== true || written.has(rule.key)) continue;
    written.add(rule.key);
    writes.push(rewrite({ key: rule.key, rules, records, nowUs }, refilled, decision.perRule));
  }
  return { decision, writes };
}

/** Allows or refuses from states that were refilled up to now, one for each rule. */
export function judge({
  rules,
  refilled,
  nowUs,
  source,
}: {
  rules: readonly CheckRule[];
  refilled: readonly BucketState[];
  nowUs: number;
  source: DecisionSource;
}): CheckDecision {
  let isAllowed = true;
  for (const [index, rule] of rules.entries()) {
    if (rule.role === "enforced" && !holdsCost(rule, refilled[index])) isAllowed = false;
  }
  const perRule = rules.map((rule, index) =>
    outcomeOf(rule, refilled[index] ?? fullBucket(rule.limit, nowUs), nowUs, isAllowed),
  );
  return {
    verdict: isAllowed ? "allowed" : "refused",
    binding: bindingOutcome(perRule),
    perRule,
    nowUs,
    source,
  };
}

/** A bucket may occur once in a check: charged twice from one reading, it would lose a charge. */
export function assertDistinctBuckets(rules: readonly CheckRule[]): void {
  for (let i = 1; i < rules.length; i += 1) {
    for (let j = 0; j < i; j += 1) {
      const a = rules[i];
      const b = rules[j];
      if (a?.slot === b?.slot && a?.key === b?.key)
        throw new AppError(
          "internal",
          `rules ${b?.ruleId} and ${a?.ruleId} mean one bucket: slot ${a?.slot} of ${a?.key}`,
        );
    }
  }
}

function holdsCost(rule: CheckRule, state: BucketState | undefined): boolean {
  return state !== undefined && state.level >= rule.cost * MICRO;
}

function outcomeOf(
  rule: CheckRule,
  refilled: BucketState,
  nowUs: number,
  isAllowed: boolean,
): RuleOutcome {
  const cost = rule.cost * MICRO;
  const allowed = refilled.level >= cost;
  const charged = allowed && isAllowed;
  const state = charged ? spend(refilled, cost) : refilled;
  const wait = allowed ? 0 : waitUs(state, rule.limit, nowUs, cost);
  return {
    ruleId: rule.ruleId,
    role: rule.role,
    allowed,
    charged,
    remaining: Math.floor(state.level / MICRO),
    resetMs: Math.ceil(waitUs(state, rule.limit, nowUs, MICRO) / 1000),
    retryAfterMs: wait === Number.POSITIVE_INFINITY ? null : Math.ceil(wait / 1000),
  };
}

function rewrite(
  { key, rules, records, nowUs }: Omit<Input, "source"> & { key: string },
  refilled: readonly BucketState[],
  outcomes: readonly RuleOutcome[],
): StateWrite {
  const carried = new Set(rules.filter((rule) => rule.key === key).map((rule) => rule.slot));
  const kept = (records.get(key) ?? []).filter(
    (record) =>
      isCurrent(record, nowUs) && !(record.kind === "token-bucket" && carried.has(record.slot)),
  );
  for (const [index, rule] of rules.entries()) {
    const state = refilled[index];
    if (rule.key !== key || state === undefined) continue;
    const left = outcomes[index]?.charged === true ? spend(state, rule.cost * MICRO) : state;
    if (left.level >= rule.limit.capacity) continue;
    kept.push({
      kind: "token-bucket",
      slot: rule.slot,
      fullAt: fullAtSeconds(left, rule.limit),
      state: left,
    });
  }
  const latest = kept.reduce((seconds, record) => Math.max(seconds, record.fullAt), 0);
  return { key, records: kept, ttlSeconds: latest - Math.floor(nowUs / MICRO) };
}

function findState(
  records: readonly StateRecord[] | undefined,
  slot: number,
  nowUs: number,
): BucketState | undefined {
  const found = records?.findLast(
    (record) => record.slot === slot && record.kind === "token-bucket" && isCurrent(record, nowUs),
  );
  return found?.kind === "token-bucket" ? found.state : undefined;
}

function refillOrFull(state: BucketState | undefined, limit: TokenBucket, nowUs: number) {
  return state === undefined ? fullBucket(limit, nowUs) : refill(state, limit, nowUs);
}

/** False once every bucket of the record is full again, by the limit it was written under. */
export function isCurrent(record: StateRecord, nowUs: number): boolean {
  return record.fullAt * MICRO > nowUs;
}

function fullAtSeconds(state: BucketState, limit: TokenBucket): number {
  return Math.min(FULL_AT_MAX, Math.ceil(fullAtUs(state, limit) / MICRO));
}
