import type { BucketState } from "@/lib/core/bucket";
import {
  type CheckFailure,
  type CheckRequest,
  type CheckResult,
  type CheckRule,
  expiryOf,
} from "@/lib/core/check";
import { judge } from "@/lib/core/decide";
import { shown } from "@/lib/core/parse";

/** The reply's codes, as lua/check.lua says. */
const EXPIRED = 2;
const ALLOWED = 1;
/** Of its one packed argument, in bytes. */
const HEAD_SIZE = 10;
const COUNT_SIZE = 2;
const CHECK_SIZE = 10;
const RUN_SIZE = 4;
const RULE_SIZE = 21;

/** What lua/check.lua takes: the distinct keys of all checks, and their rules packed. */
export function encodeChecks(
  requests: readonly CheckRequest[],
  testTimeUs: number,
): { keys: string[]; input: Buffer } {
  const keys = new Map<string, number>();
  const lists = new Map<string, number>();
  const rules = requests.reduce((sum, request) => sum + request.rules.length, 0);
  // At most: checks share lists, and rules of one key a run.
  const listed = Buffer.allocUnsafe(HEAD_SIZE + (COUNT_SIZE + RULE_SIZE) * rules);
  const checks = Buffer.allocUnsafe(CHECK_SIZE * requests.length + RUN_SIZE * rules);
  let listsEnd = HEAD_SIZE;
  let at = 0;
  for (const request of requests) {
    const { rules } = request;
    const expiryUs = expiryOf(request);
    const checkAt = at;
    checks.writeDoubleLE(expiryUs === undefined ? 0 : Math.ceil(expiryUs), at + 2);
    at += CHECK_SIZE;
    const grouped = groupByKey(rules);
    for (let first = 0; first < grouped.length; ) {
      const key = grouped[first]?.key ?? "";
      let end = first + 1;
      while (grouped[end]?.key === key) end += 1;
      const listEnd = writeList(listed, listsEnd, grouped.slice(first, end));
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
  return { keys: [...keys.keys()], input };
}

function writeList(buffer: Buffer, start: number, rules: readonly CheckRule[]): number {
  buffer.writeUInt16LE(rules.length, start);
  let at = start + COUNT_SIZE;
  for (const { slot, role, limit, cost } of rules) {
    buffer.writeUInt8(role === "enforced" ? 1 : 0, at);
    buffer.writeUInt32LE(slot, at + 1);
    buffer.writeUInt32LE(limit.gain, at + 5);
    buffer.writeUInt32LE(limit.periodUs, at + 9);
    buffer.writeUInt32LE(limit.burst, at + 13);
    buffer.writeUInt32LE(cost, at + 17);
    at += RULE_SIZE;
  }
  return at;
}

/** Its number in the order of first sight, from 1. */
function numberOf(text: string, numbers: Map<string, number>): { number: number; isNew: boolean } {
  const known = numbers.get(text);
  if (known !== undefined) return { number: known, isNew: false };
  numbers.set(text, numbers.size + 1);
  return { number: numbers.size, isNew: true };
}

/** One result for each request, in order. */
export function decodeReply(reply: unknown, requests: readonly CheckRequest[]): CheckResult[] {
  if (!isNumbers(reply)) {
    const result = failure("error", `the script answered ${shown(reply)}`);
    return requests.map(() => result);
  }
  const [nowUs = 0] = reply;
  let at = 1;
  const results = requests.map(({ rules }): CheckResult => {
    const code = reply[at];
    if (code === EXPIRED) {
      at += 1;
      return { ...failure("expired", "Redis reached the check after its expiry"), nowUs };
    }
    const first = at + 1;
    at = first + 2 * rules.length;
    const grouped = groupByKey(rules);
    const refilled = rules.map((rule, index): BucketState => {
      const position = first + 2 * (grouped === rules ? index : grouped.indexOf(rule));
      return { level: reply[position] ?? 0, timeUs: reply[position + 1] ?? 0, outstanding: 0 };
    });
    const decision = judge({ rules, refilled, nowUs, source: "redis" });
    if ((decision.verdict === "allowed") !== (code === ALLOWED))
      return failure("error", `the script answered ${code}, its levels say ${decision.verdict}`);
    return decision;
  });
  if (at === reply.length) return results;
  const result = failure("error", `the script answered ${reply.length} numbers, ${at} were due`);
  return requests.map(() => result);
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

function isNumbers(reply: unknown): reply is number[] {
  return Array.isArray(reply) && reply.length >= 1 && reply.every(Number.isSafeInteger);
}
