import type { Redis } from "ioredis";
import type { BucketState } from "@/lib/core/bucket";
import type { CheckFailure, CheckRequest, CheckResult, CheckRule } from "@/lib/core/check";
import { assertDistinctBuckets, judge } from "@/lib/core/decide";
import { shown } from "@/lib/core/parse";
import { readScript } from "./scripts";
import type { Store } from "./store";

type Options = {
  /** Made with role "check": no offline queue, no resend. It stays the caller's to close. */
  redis: Redis;
  /** For tests: the time in µs that the script shall believe, instead of the server's. */
  testTimeUs?: () => number;
};

/** The reply's first number, as lua/check.lua says. */
const EXPIRED = 2;
const ALLOWED = 1;
/** Of its one packed argument. */
const HEAD_SIZE = 16;
const RULE_SIZE = 23;

/**
 * Buckets in one Redis (or one ring node). It waits as long as the connection lives: the deadline is the
 * limiter's. Only NOSCRIPT is sent again (by ioredis), since that alone cannot have run.
 */
export function createRedisStore({ redis, testTimeUs }: Options): Store {
  const client = withCheckCommand(redis);
  let isClosed = false;
  return {
    check(request) {
      assertDistinctBuckets(request.rules);
      if (isClosed) return Promise.resolve(failure("disconnected", "the store is closed"));
      return client
        .headgateCheck(...argumentsOf(request, testTimeUs?.() ?? 0))
        .then((reply) => parseReply(reply, request.rules), failureOf);
    },
    async close() {
      isClosed = true;
    },
  };
}

type CheckCommand = {
  headgateCheck(numberOfKeys: number, ...keysAndInput: (string | Buffer)[]): Promise<unknown>;
};

/** ioredis adds a defined command to the client itself, which its types cannot say. */
function withCheckCommand(redis: Redis): CheckCommand {
  redis.defineCommand("headgateCheck", { lua: readScript("check") });
  return redis as unknown as CheckCommand;
}

/** One packed argument: as 2 + 7 numbers a rule, Redis spent more on reading them than on the check. */
function argumentsOf(
  { rules, expiryUs }: CheckRequest,
  testTimeUs: number,
): [number, ...(string | Buffer)[]] {
  const keys: string[] = [];
  const input = Buffer.allocUnsafe(HEAD_SIZE + RULE_SIZE * rules.length);
  input.writeDoubleLE(testTimeUs, 0);
  input.writeDoubleLE(expiryUs === undefined ? 0 : Math.ceil(expiryUs), 8);
  let at = HEAD_SIZE;
  for (const { key, slot, role, limit, cost } of rules) {
    let index = keys.indexOf(key);
    if (index === -1) index = keys.push(key) - 1;
    input.writeUInt16LE(index + 1, at);
    input.writeUInt8(role === "enforced" ? 1 : 0, at + 2);
    input.writeUInt32LE(slot, at + 3);
    input.writeUInt32LE(limit.gain, at + 7);
    input.writeUInt32LE(limit.periodUs, at + 11);
    input.writeUInt32LE(limit.burst, at + 15);
    input.writeUInt32LE(cost, at + 19);
    at += RULE_SIZE;
  }
  return [keys.length, ...keys, input];
}

function parseReply(reply: unknown, rules: readonly CheckRule[]): CheckResult {
  if (!isNumbers(reply)) return failure("error", `the script answered ${shown(reply)}`);
  const [code, nowUs = 0] = reply;
  if (code === EXPIRED)
    return { ...failure("expired", "Redis reached the check after its expiry"), nowUs };
  if (reply.length !== 2 + 2 * rules.length)
    return failure(
      "error",
      `the script answered ${reply.length} numbers, ${2 + 2 * rules.length} were due`,
    );
  const refilled: BucketState[] = rules.map((_, index) => ({
    level: reply[2 + 2 * index] ?? 0,
    timeUs: reply[3 + 2 * index] ?? 0,
    outstanding: 0,
  }));
  const decision = judge({ rules, refilled, nowUs, source: "redis" });
  if ((decision.verdict === "allowed") !== (code === ALLOWED))
    return failure("error", `the script answered ${code}, its levels say ${decision.verdict}`);
  return decision;
}

function isNumbers(reply: unknown): reply is number[] {
  return Array.isArray(reply) && reply.length >= 2 && reply.every(Number.isSafeInteger);
}

function failureOf(error: unknown): CheckFailure {
  const message = error instanceof Error ? error.message : String(error);
  const isReply = error instanceof Error && error.name === "ReplyError";
  return failure(isReply ? "error" : "disconnected", message);
}

function failure(reason: CheckFailure["reason"], message: string): CheckFailure {
  return { verdict: "unavailable", reason, message };
}
