import { type BucketState, type Leases, lend, MICRO, settleLeases } from "./bucket";
import {
  type BucketLimit,
  costWaitUs,
  forceCost,
  holdsCost,
  isUntouched,
  presentState,
  refundCost,
  remainingOf,
  takeCost,
  untouchedAtUs,
} from "./bucket-limit";
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
  /** Names the request in flight; needed for concurrency rules. */
  leaseId?: string | undefined;
};

const FULL_AT_MAX = 4_294_967_295;

/**
 * Decides a whole check: the one arithmetic that lua/check.lua repeats. Enforced rules are charged when all of
 * them pass, a shadow rule when its world and itself pass, so a refusal writes nothing that is enforced. A record
 * past its `fullAt` counts as absent, whether or not Redis has dropped its key yet.
 * Throws `internal` when two rules mean one bucket, or a request in flight has no name.
 */
export function decide({ rules, records, nowUs, source, leaseId }: Input): Decided {
  assertCheckable(rules, leaseId);
  const present = rules.map(({ key, slot, limit }) =>
    presentState(findState(records.get(key), slot, limit, nowUs), limit, nowUs),
  );
  const decision = judge({ rules, present, nowUs, source });
  const writes: StateWrite[] = [];
  const written = new Set<string>();
  for (const [index, rule] of rules.entries()) {
    if (decision.perRule[index]?.charged !== true || written.has(rule.key)) continue;
    written.add(rule.key);
    const of = { key: rule.key, rules, records, nowUs, leaseId };
    writes.push(
      rule.limit.algorithm === "concurrency"
        ? addLease(of, rule.slot, rule.limit.leaseSeconds)
        : rewrite(of, present, decision),
    );
  }
  return { decision, writes };
}

/** Allows or refuses from states as of now, one for each rule. */
export function judge({
  rules,
  present,
  nowUs,
  source,
}: {
  rules: readonly CheckRule[];
  present: readonly BucketState[];
  nowUs: number;
  source: DecisionSource;
}): CheckDecision {
  let refusals = 0;
  let refusing = "";
  for (let index = 0; index < rules.length; index += 1) {
    const rule = rules[index];
    const state = present[index];
    if (rule === undefined || state === undefined || rule.role !== "enforced") continue;
    if (passes(rule, state, nowUs)) continue;
    refusals += 1;
    refusing = rule.ruleId;
  }
  const perRule = rules.map((rule, index) => {
    const state = present[index] ?? presentState(undefined, rule.limit, nowUs);
    return outcomeOf(rule, state, nowUs, isWorldOpen(rule, refusals, refusing));
  });
  return {
    verdict: refusals === 0 ? "allowed" : "refused",
    binding: bindingOutcome(perRule),
    perRule,
    nowUs,
    source,
  };
}

/**
 * Whether a rule is charged if it passes itself, `refusals` being how many enforced rules refuse and `refusing` one of
 * them. A candidate stands in the place of the live rule of its id.
 */
export function isWorldOpen(
  { role, ruleId }: Pick<CheckRule, "role" | "ruleId">,
  refusals: number,
  refusing: string,
): boolean {
  return refusals === 0 || (role === "shadow" && refusals === 1 && refusing === ruleId);
}

/** A bucket may occur once in a check: charged twice from one reading, it would lose a charge. */
export function assertCheckable(rules: readonly CheckRule[], leaseId: string | undefined): void {
  for (let i = 0; i < rules.length; i += 1) {
    const a = rules[i];
    if (leaseId === undefined && a?.limit.algorithm === "concurrency")
      throw new AppError(
        "internal",
        `rule ${a.ruleId} counts requests in flight: this one has no name`,
      );
    for (let j = 0; j < i; j += 1) {
      const b = rules[j];
      if (a?.slot === b?.slot && a?.key === b?.key)
        throw new AppError(
          "internal",
          `rules ${b?.ruleId} and ${a?.ruleId} mean one bucket: slot ${a?.slot} of ${a?.key}`,
        );
    }
  }
}

function passes({ op, limit, cost }: CheckRule, state: BucketState, nowUs: number): boolean {
  return op === "force" || op === "refund" || holdsCost(state, limit, nowUs, cost);
}

/** A present state after its rule was charged. */
function charge(rule: CheckRule, state: BucketState, nowUs: number): BucketState {
  const { op, limit, cost } = rule;
  if (op === "refund") return refundCost(state, limit, cost, rule.takenUs ?? nowUs);
  if (op === "force") return forceCost(state, limit, cost);
  const taken = takeCost(state, limit, cost);
  if (rule.lend === undefined || limit.algorithm !== "token-bucket") return taken;
  const settled = rule.spent === undefined ? taken : settleLeases(taken, inMicro(rule.spent));
  const lent = lentOf(rule, settled);
  return lent === 0 ? settled : lend(settled, nowUs, lent * MICRO);
}

function inMicro({ generation, current, previous }: Leases): Leases {
  return { generation, current: current * MICRO, previous: previous * MICRO };
}

function lentOf({ limit, lend: wanted = 0 }: CheckRule, taken: BucketState): number {
  if (wanted === 0 || limit.algorithm !== "token-bucket") return 0;
  return Math.min(wanted, Math.floor(taken.level / MICRO));
}

function outcomeOf(
  rule: CheckRule,
  present: BucketState,
  nowUs: number,
  isOpen: boolean,
): RuleOutcome {
  const { limit, cost } = rule;
  const allowed = passes(rule, present, nowUs);
  const charged = allowed && isOpen;
  const state = charged ? charge(rule, present, nowUs) : present;
  const wait = allowed ? 0 : costWaitUs(state, limit, nowUs, cost);
  const outcome: RuleOutcome = {
    ruleId: rule.ruleId,
    role: rule.role,
    allowed,
    charged,
    remaining: remainingOf(state, limit, nowUs),
    resetMs: Math.ceil(costWaitUs(state, limit, nowUs, 1) / 1000),
    retryAfterMs: wait === Number.POSITIVE_INFINITY ? null : Math.ceil(wait / 1000),
  };
  if (rule.lend !== undefined) {
    outcome.lent = charged ? lentOf(rule, takeCost(present, limit, cost)) : 0;
    if (outcome.lent > 0 && state.leases !== null) outcome.lentIn = state.leases.generation;
  }
  if (rule.op === "force") outcome.lacked = Math.max(0, cost - remainingOf(present, limit, nowUs));
  if (rule.tells === true) outcome.state = { ...state, leases: null };
  return outcome;
}

type Of = Omit<Input, "source"> & { key: string };

function rewrite(
  { key, rules, records, nowUs }: Of,
  present: readonly BucketState[],
  { verdict, perRule }: CheckDecision,
): StateWrite {
  // After a refusal only a candidate's record changes; else all that the check carries are as of now.
  const isCarried = (index: number) =>
    rules[index]?.key === key && (verdict === "allowed" || perRule[index]?.charged === true);
  const carried = new Set(rules.filter((_, index) => isCarried(index)).map(({ slot }) => slot));
  const kept = (records.get(key) ?? []).filter(
    (record) => isCurrent(record, nowUs) && !(isKnown(record) && carried.has(record.slot)),
  );
  for (const [index, rule] of rules.entries()) {
    const state = present[index];
    if (state === undefined || !isCarried(index)) continue;
    const { limit, slot } = rule;
    if (limit.algorithm === "concurrency") continue;
    const left = perRule[index]?.charged === true ? charge(rule, state, nowUs) : state;
    if (isUntouched(left, limit)) continue;
    kept.push({ kind: limit.algorithm, slot, fullAt: fullAtSeconds(left, limit), state: left });
  }
  const latest = kept.reduce((seconds, record) => Math.max(seconds, record.fullAt), 0);
  return { key, records: kept, ttlSeconds: latest - Math.floor(nowUs / MICRO) };
}

function addLease(
  { key, records, nowUs, leaseId = "" }: Of,
  slot: number,
  seconds: number,
): StateWrite {
  const held = records.get(key)?.find((record) => record.slot === slot);
  const leases = new Map(
    held?.kind === "concurrency" ? [...held.leases].filter(([, endUs]) => endUs > nowUs) : [],
  );
  leases.set(leaseId, nowUs + seconds * MICRO);
  const fullAt = Math.ceil(Math.max(...leases.values()) / MICRO);
  const record: StateRecord = { kind: "concurrency", slot, fullAt, leases };
  return { key, records: [record], ttlSeconds: fullAt - Math.floor(nowUs / MICRO) };
}

/** What is kept of a bucket and still counts; the last one, where a key holds several. */
export function findState(
  records: readonly StateRecord[] | undefined,
  slot: number,
  limit: BucketLimit,
  nowUs: number,
): BucketState | undefined {
  const found = records?.findLast(
    (record) => record.slot === slot && record.kind === limit.algorithm && isCurrent(record, nowUs),
  );
  if (found === undefined || found.kind === "unknown") return undefined;
  if (found.kind !== "concurrency") return found.state;
  let level = 0;
  for (const endUs of found.leases.values()) if (endUs > nowUs) level += 1;
  return { level, timeUs: nowUs, previous: 0, leases: null };
}

function isKnown(record: StateRecord): boolean {
  return record.kind !== "unknown";
}

/** False once every bucket of the record is full again, by the limit it was written under. */
export function isCurrent(record: { fullAt: number }, nowUs: number): boolean {
  return record.fullAt * MICRO > nowUs;
}

/** Unix seconds from which a state, left alone, counts as absent. */
export function fullAtSeconds(state: BucketState, limit: BucketLimit): number {
  return Math.min(FULL_AT_MAX, Math.ceil(untouchedAtUs(state, limit) / MICRO));
}
