import type { Redis } from "ioredis";
import type { CheckFailure, CheckRequest, CheckResult } from "@/lib/core/check";
import { assertDistinctBuckets } from "@/lib/core/decide";
import { decodeReply, encodeChecks, failure } from "./check-batch";
import { readScript } from "./scripts";
import type { Store } from "./store";

type Options = {
  /** Made with role "check": no offline queue, no resend. It stays the caller's to close. */
  redis: Redis;
  /** For tests: the time in µs that the script shall believe, instead of the server's. */
  testTimeUs?: () => number;
};

type Waiting = { request: CheckRequest; resolve(result: CheckResult): void };

/** Checks in one call: Redis serves nobody else meanwhile, some 5 µs for each. */
const BATCH_MAX = 32;
/** Of all its checks; a call takes some more when its last check brings many. */
const BATCH_RULES_MAX = 256;
/** With fewer checks under way one goes out at once, alone: it waits for no other, nor for the event loop. */
const BUSY_AT = 2;

/**
 * Buckets in one Redis (or one ring node). Under load the checks of one turn of the event loop travel in one
 * script call, which decides them one after another. A check waits as long as the connection lives: the deadline
 * is the limiter's. Only NOSCRIPT is sent again (by ioredis), since that alone cannot have run.
 */
export function createRedisStore({ redis, testTimeUs }: Options): Store {
  const client = withCheckCommand(redis);
  let isClosed = false;
  let waiting: Waiting[] = [];
  let waitingRules = 0;
  let underWay = 0;
  return {
    check(request) {
      assertDistinctBuckets(request.rules);
      if (isClosed) return Promise.resolve(failure("disconnected", "the store is closed"));
      return new Promise((resolve) => {
        waiting.push({ request, resolve });
        waitingRules += request.rules.length;
        underWay += 1;
        const isFull = waiting.length === BATCH_MAX || waitingRules >= BATCH_RULES_MAX;
        if (isFull || underWay <= BUSY_AT) send();
        else if (waiting.length === 1) setImmediate(send);
      });
    },
    async close() {
      isClosed = true;
    },
  };

  function send(): void {
    if (waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    waitingRules = 0;
    const requests = batch.map(({ request }) => request);
    const { keys, input } = encodeChecks(requests, testTimeUs?.() ?? 0);
    client.headgateCheck(keys.length, ...keys, input).then(
      (reply) => {
        underWay -= batch.length;
        const results = decodeReply(reply, requests);
        for (const [index, { resolve }] of batch.entries())
          resolve(results[index] ?? failure("error", "the script answered too few checks"));
      },
      (error) => {
        underWay -= batch.length;
        const result = failureOf(error);
        for (const { resolve } of batch) resolve(result);
      },
    );
  }
}

type CheckCommand = {
  headgateCheck(numberOfKeys: number, ...keysAndInput: (string | Buffer)[]): Promise<unknown>;
};

/** ioredis adds a defined command to the client itself, which its types cannot say. */
function withCheckCommand(redis: Redis): CheckCommand {
  redis.defineCommand("headgateCheck", { lua: readScript("check") });
  return redis as unknown as CheckCommand;
}

function failureOf(error: unknown): CheckFailure {
  const message = error instanceof Error ? error.message : String(error);
  const isReply = error instanceof Error && error.name === "ReplyError";
  return failure(isReply ? "error" : "disconnected", message);
}
