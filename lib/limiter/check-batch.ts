import type { BucketState } from "@/lib/core/bucket";
import type { CheckFailure, CheckRequest, CheckResult, CheckRule } from "@/lib/core/check";
import { judge } from "@/lib/core/decide";
import { shown } from "@/lib/core/parse";

/** The reply's codes, as lua/check.lua says. */
const EXPIRED = 2;
const ALLOWED = 1;
/** Of its one packed argument, in bytes. */
const HEAD_SIZE = 8;
const CHECK_SIZE = 10;
const RUN_SIZE = 4;
const RULE_SIZE = 21;

/** What lua/check.lua takes: the distinct keys of all checks, and their rules packed. */
export function encodeChecks(
  requests: readonly CheckRequest[],
  testTimeUs: number,
): { keys: string[]; input: Buffer } {
  const keys = new Map<string, number>();
  const rules = requests.reduce((sum, request) => sum + request.rules.length, 0);
  // At most: a rule shares its run with others of its key.
  const input = Buffer.allocUnsafe(
    HEAD_SIZE + CHECK_SIZE * requests.length + (RUN_SIZE + RULE_SIZE) * rules,
  );
  input.writeDoubleLE(testTimeUs, 0);
  let at = HEAD_SIZE;
  for (const request of requests) {
    const checkAt = at;
    input.writeDoubleLE(request.expiryUs === undefined ? 0 : Math.ceil(request.expiryUs), at + 2);
    at += CHECK_SIZE;
    let runAt = at;
    let runKey: string | undefined;
    let runRules = 0;
    for (const { key, slot, role, limit, cost } of groupByKey(request.rules)) {
      if (key !== runKey) {
        let index = keys.get(key);
        if (index === undefined) {
          index = keys.size + 1;
          keys.set(key, index);
        }
        input.writeUInt16LE(index, at);
        runAt = at;
        runKey = key;
        runRules = 0;
        at += RUN_SIZE;
      }
      runRules += 1;
      input.writeUInt16LE(runRules, runAt + 2);
      input.writeUInt8(role === "enforced" ? 1 : 0, at);
      input.writeUInt32LE(slot, at + 1);
      input.writeUInt32LE(limit.gain, at + 5);
      input.writeUInt32LE(limit.periodUs, at + 9);
      input.writeUInt32LE(limit.burst, at + 13);
      input.writeUInt32LE(cost, at + 17);
      at += RULE_SIZE;
    }
    input.writeUInt16LE(at - checkAt - CHECK_SIZE, checkAt);
  }
  return { keys: [...keys.keys()], input: input.subarray(0, at) };
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
