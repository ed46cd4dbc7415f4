import type { BucketState } from "@/lib/core/bucket";
import { presentState } from "@/lib/core/bucket-limit";
import {
  type CheckFailure,
  type CheckRequest,
  type CheckResult,
  type CheckRule,
  expiryOf,
} from "@/lib/core/check";
import { findState, judge } from "@/lib/core/decide";
import { MICRO } from "@/lib/core/micro";
import { shown } from "@/lib/core/parse";
import { decodeRecords, PLAIN_SIZE, plainRecordAt, type StateRecord } from "@/lib/core/record";
import { windowStartUs } from "@/lib/core/sliding-window";

/** The reply's codes, as lua/check.lua says. */
const ALLOWED = 1;
const EXPIRED = 2;
const ELSEWHEN = 3;
/** Of its one packed argument, in bytes. */
const HEAD_SIZE = 10;
const COUNT_SIZE = 2;
const CHECK_SIZE = 11;
const RUN_SIZE = 4;
const RULE_SIZE = 21;
const LEND_SIZE = 16;
const RULE_SIZE_MAX = RULE_SIZE + LEND_SIZE + 1;
/** What a rule is, in one byte. Zero and one are the usual ones: a token bucket, in shadow or enforced. */
const ENFORCED = 1;
const OPS = { take: 0, force: 2, refund: 4 } as const;
const ALGORITHMS = {
  "token-bucket": 0,
  "fixed-window": 8,
  "sliding-window": 16,
  concurrency: 24,
} as const;
const LENDS = 32;
const PAIRED = 64;

/** What lua/check.lua takes: the distinct keys of all checks, their rules packed, and the names of requests in flight. */
export function encodeChecks(
  requests: readonly CheckRequest[],
  testTimeUs: number,
): { keys: string[]; args: (Buffer | string)[] } {
  const keys = new Map<string, number>();
  const lists = new Map<string, number>();
  const leaseIds: string[] = [];
  const rules = requests.reduce((sum, request) => sum + request.rules.length, 0);
  // At most: checks share lists, and rules of one key a run.
  const listed = Buffer.allocUnsafe(HEAD_SIZE + (COUNT_SIZE + RULE_SIZE_MAX) * rules);
  const checks = Buffer.allocUnsafe(CHECK_SIZE * requests.length + RUN_SIZE * rules);
  let listsEnd = HEAD_SIZE;
  let at = 0;
  for (const request of requests) {
    const { rules, leaseId } = request;
    const expiryUs = expiryOf(request);
    const context = contextOf(request, testTimeUs);
    const checkAt = at;
    checks.writeDoubleLE(expiryUs === undefined ? 0 : Math.ceil(expiryUs), at + 2);
    checks.writeUInt8(leaseId === undefined ? 0 : leaseIds.push(leaseId), at + 10);
    at += CHECK_SIZE;
    const grouped = groupByKey(rules);
    for (let first = 0; first < grouped.length; ) {
      const key = grouped[first]?.key ?? "";
      let end = first + 1;
      while (grouped[end]?.key === key) end += 1;
      const listEnd = writeList(listed, listsEnd, grouped.slice(first, end), context);
      const list = numberOf(listed.toString("latin1", listsEnd, listEnd), lists);
      if (list.isNew) listsEnd = listEnd;
      checks.writeUInt16LE(numberOf(key, keys).number, at);
      checks.writeUInt16LE(list.number, at + 2);
      at += RUN_SIZE;
      first = end;
    }
    checks.writeUInt16LE((at - checkAt - CHECK_SIZE) / RUN_SIZE, checkAt);
  }
  listed.writeDoubleLE(testTimeUs, 0);
  listed.writeUInt16LE(lists.size, 8);
  const input = Buffer.concat([listed.subarray(0, listsEnd), checks.subarray(0, at)]);
  return { keys: [...keys.keys()], args: [input, ...leaseIds] };
}

/** `clockUs` is asked only where a window depends on it. */
type Context = { rules: readonly CheckRule[]; mayHavePairs: boolean; clockUs(): number };

function contextOf({ rules, clockUs }: CheckRequest, testTimeUs: number): Context {
  return {
    rules,
    mayHavePairs: rules.length > 1 && rules.some(({ role }) => role === "shadow"),
    // Good enough to begin with: a wrong window is answered with Redis's time, and asked again.
    clockUs: () => (testTimeUs > 0 ? testTimeUs : (clockUs?.() ?? Date.now() * 1000)),
  };
}

function writeList(
  buffer: Buffer,
  start: number,
  list: readonly CheckRule[],
  context: Context,
): number {
  buffer.writeUInt16LE(list.length, start);
  let at = start + COUNT_SIZE;
  for (const rule of list) at = writeRule(buffer, at, rule, context);
  return at;
}

function writeRule(buffer: Buffer, at: number, rule: CheckRule, context: Context): number {
  const { slot, limit, cost, role, op, lend } = rule;
  const pair = context.mayHavePairs ? pairOf(rule, context.rules) : 0;
  const flags =
    (role === "enforced" ? ENFORCED : 0) |
    (op === undefined ? 0 : OPS[op]) |
    ALGORITHMS[limit.algorithm] |
    (lend === undefined ? 0 : LENDS) |
    (pair === 0 ? 0 : PAIRED);
  buffer.writeUInt8(flags, at);
  buffer.writeUInt32LE(slot, at + 1);
  writeLimit(buffer, at + 5, rule, context.clockUs);
  buffer.writeUInt32LE(cost, at + 17);
  let end = at + RULE_SIZE;
  if (lend !== undefined) {
    end = buffer.writeUInt32LE(lend, end);
    end = buffer.writeUInt32LE(rule.spent?.generation ?? 0, end);
    end = buffer.writeUInt32LE(rule.spent?.current ?? 0, end);
    end = buffer.writeUInt32LE(rule.spent?.previous ?? 0, end);
  }
  return pair === 0 ? end : buffer.writeUInt8(pair, end);
}

/** Three numbers of 32 bits, by algorithm, as lua/check.lua says. */
function writeLimit(
  buffer: Buffer,
  at: number,
  { limit, op, takenUs }: CheckRule,
  clockUs: () => number,
): void {
  const takenAt = () => (op === "refund" ? (takenUs ?? clockUs()) : clockUs());
  switch (limit.algorithm) {
    case "token-bucket":
      buffer.writeUInt32LE(limit.gain, at);
      buffer.writeUInt32LE(limit.periodUs, at + 4);
      buffer.writeUInt32LE(limit.burst, at + 8);
      return;
    case "fixed-window": {
      const { startUs, endUs } = limit.windowAt(takenAt());
      buffer.writeUInt32LE(startUs / MICRO, at);
      buffer.writeUInt32LE(endUs / MICRO, at + 4);
      buffer.writeUInt32LE(limit.quota, at + 8);
      return;
    }
    case "sliding-window":
      buffer.writeUInt32LE(op === "refund" ? windowStartUs(limit, takenAt()) / MICRO : 0, at);
      buffer.writeUInt32LE(limit.perSeconds, at + 4);
      buffer.writeUInt32LE(limit.quota, at + 8);
      return;
    case "concurrency":
      buffer.writeUInt32LE(0, at);
      buffer.writeUInt32LE(limit.leaseSeconds, at + 4);
      buffer.writeUInt32LE(limit.quota, at + 8);
  }
}

/** A candidate and the live rule of its id have one number, from 1; others 0. */
function pairOf(rule: CheckRule, rules: readonly CheckRule[]): number {
  const first = rules.findIndex(({ ruleId }) => ruleId === rule.ruleId);
  const last = rules.findLastIndex(({ ruleId }) => ruleId === rule.ruleId);
  return first === last ? 0 : first + 1;
}

/** Its number in the order of first sight, from 1. */
function numberOf(text: string, numbers: Map<string, number>): { number: number; isNew: boolean } {
  const known = numbers.get(text);
  if (known !== undefined) return { number: known, isNew: false };
  numbers.set(text, numbers.size + 1);
  return { number: numbers.size, isNew: true };
}

/** One result for each request, in order. Strings of the reply are buffers. */
export function decodeReply(reply: unknown, requests: readonly CheckRequest[]): CheckResult[] {
  const nowUs = Array.isArray(reply) ? reply[0] : undefined;
  if (!Array.isArray(reply) || !Number.isSafeInteger(nowUs)) {
    const result = failure("error", `the script answered ${shown(reply)}`);
    return requests.map(() => result);
  }
  let at = 1;
  const results = requests.map(({ rules }): CheckResult => {
    const code: unknown = reply[at];
    at += 1;
    if (code === EXPIRED)
      return { ...failure("expired", "Redis reached the check after its expiry"), nowUs };
    if (code === ELSEWHEN)
      return { ...failure("expired", "Redis reached the check in another window"), nowUs };
    const present: BucketState[] = [];
    const grouped = groupByKey(rules);
    for (let first = 0; first < grouped.length; ) {
      const key = grouped[first]?.key;
      let end = first + 1;
      while (grouped[end]?.key === key) end += 1;
      addPresent(present, grouped, { first, end }, reply[at], nowUs);
      at += 1;
      first = end;
    }
    const decision = judge({
      rules,
      present: grouped === rules ? present : inOrder(rules, grouped, present),
      nowUs,
      source: "redis",
    });
    if ((decision.verdict === "allowed") !== (code === ALLOWED))
      return failure("error", `the script answered ${code}, its records say ${decision.verdict}`);
    return decision;
  });
  if (at === reply.length) return results;
  const result = failure("error", `the script answered ${reply.length} parts, ${at} were due`);
  return requests.map(() => result);
}

const NO_RECORDS: readonly StateRecord[] = [];

/** The states as of now of a run's rules, from what it found. Mostly their plain records, in their order. */
function addPresent(
  present: BucketState[],
  rules: readonly CheckRule[],
  { first, end }: { first: number; end: number },
  found: unknown,
  nowUs: number,
): void {
  const bytes = Buffer.isBuffer(found) ? found : undefined;
  const view =
    bytes?.length === PLAIN_SIZE * (end - first)
      ? new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
      : undefined;
  let records: readonly StateRecord[] | undefined;
  for (let index = first; index < end; index += 1) {
    const rule = rules[index];
    if (rule === undefined) continue;
    const { slot, limit } = rule;
    if (limit.algorithm === "concurrency") {
      present.push({ level: Number(found), timeUs: nowUs, previous: 0, leases: null });
      continue;
    }
    const plain =
      view !== undefined && limit.algorithm === "token-bucket"
        ? plainRecordAt(view, (index - first) * PLAIN_SIZE, slot)
        : undefined;
    if (plain !== undefined) {
      const isKept = plain.fullAt * MICRO > nowUs;
      present.push(presentState(isKept ? plain.state : undefined, limit, nowUs));
      continue;
    }
    records ??= bytes === undefined ? NO_RECORDS : decodeRecords(bytes);
    present.push(presentState(findState(records, slot, limit, nowUs), limit, nowUs));
  }
}

function inOrder(
  rules: readonly CheckRule[],
  grouped: readonly CheckRule[],
  present: readonly BucketState[],
): BucketState[] {
  return rules.map((rule) => present[grouped.indexOf(rule)] as BucketState);
}

export function failure(reason: CheckFailure["reason"], message: string): CheckFailure {
  return { verdict: "unavailable", reason, message };
}

/** Rules of one key stand together in the script's input; mostly they do already, and the list is the same. */
function groupByKey(rules: readonly CheckRule[]): readonly CheckRule[] {
  const first = rules[0]?.key;
  if (rules.every(({ key }) => key === first)) return rules;
  const byKey = new Map<string, CheckRule[]>();
  for (const rule of rules) {
    const group = byKey.get(rule.key);
    if (group === undefined) byKey.set(rule.key, [rule]);
    else group.push(rule);
  }
  return [...byKey.values()].flat();
}
