import type { Redis } from "ioredis";
import { type BucketState, MICRO } from "@/lib/core/bucket";
import type { CheckFailure, CheckRequest, CheckResult, CheckRule } from "@/lib/core/check";
import { assertDistinctBuckets, judge } from "@/lib/core/decide";
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

type CheckCommand = { headgateCheck(...args: (string | number)[]): Promise<unknown> };

/** ioredis adds a defined command to the client itself, which its types cannot say. */
function withCheckCommand(redis: Redis): CheckCommand {
  redis.defineCommand("headgateCheck", { lua: readScript("check") });
  return redis as unknown as CheckCommand;
}

function argumentsOf(
  { rules, expiryUs }: CheckRequest,
  testTimeUs: number,
): [number, ...(string | number)[]] {
  const keys: string[] = [];
  const numbers: number[] = [testTimeUs, expiryUs === undefined ? 0 : Math.ceil(expiryUs)];
  for (const { key, slot, role, limit, cost } of rules) {
    let index = keys.indexOf(key);
    if (index === -1) index = keys.push(key) - 1;
    const isEnforced = role === "enforced" ? 1 : 0;
    const { gain, periodUs, capacity } = limit;
    numbers.push(index + 1, slot, isEnforced, gain, periodUs, capacity, cost * MICRO);
  }
  return [keys.length, ...keys, ...numbers];
}

function parseReply(reply: unknown, rules: readonly CheckRule[]): CheckResult {
  if (!isNumbers(reply)) return failure("error", `the script answered ${JSON.stringify(reply)}`);
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
