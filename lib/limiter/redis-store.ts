import type { Redis } from "ioredis";
import type { CheckFailure, CheckRequest, CheckResult } from "@/lib/core/check";
import { assertCheckable } from "@/lib/core/decide";
import { decodeReply, encodeChecks, failure } from "./check-batch";
import { readScript } from "./scripts";
import type { Store } from "./store";

type Options = {
  /** Made with role "check": no offline queue, no resend. It stays the caller's to close. */
  redis: Redis;
  /** Of a cluster's node: a call may only name keys of one slot. */
  slotOf?: (key: string) => number;
  /** For tests: the time in µs that the script shall believe, instead of the server's. */
  testTimeUs?: () => number;
};

export type RedisStore = Store & {
  /** At once, in a call of its own; `isAsking`: also of a slot that is still on its way to this node. */
  checkAlone(request: CheckRequest, isAsking: boolean): Promise<CheckResult>;
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
 * is the limiter's. Only NOSCRIPT is sent again, since that alone cannot have run.
 */
export function createRedisStore({ redis, slotOf, testTimeUs }: Options): RedisStore {
  const client = withCheckCommand(redis);
  let isClosed = false;
  let waiting: Waiting[] = [];
  let waitingRules = 0;
  let underWay = 0;
  return {
    check(request) {
      assertCheckable(request.rules, request.leaseId);
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
    checkAlone(request, isAsking) {
      assertCheckable(request.rules, request.leaseId);
      if (isClosed) return Promise.resolve(failure("disconnected", "the store is closed"));
      return new Promise((resolve) => {
        underWay += 1;
        // Redis heeds it for the next call on the connection, which the following line writes.
        if (isAsking) redis.asking().catch(() => {});
        sendTogether([{ request, resolve }]);
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
    if (slotOf === undefined) sendTogether(batch);
    else sendBySlot(batch, slotOf);
  }

  /** In one write to the socket: 8 % less work for this process. */
  function sendBySlot(batch: Waiting[], slotOf: (key: string) => number): void {
    // Absent until the first connection.
    const stream: typeof redis.stream | undefined = redis.stream;
    stream?.cork();
    for (const part of bySlot(batch, slotOf)) sendTogether(part);
    stream?.uncork();
  }

  function sendTogether(batch: readonly Waiting[]): void {
    const requests = batch.map(({ request }) => request);
    const { keys, args } = encodeChecks(requests, testTimeUs?.() ?? 0);
    const call = (calls: number): Promise<void> =>
      client.headgateCheckBuffer(keys.length, ...keys, ...args).then(
        (reply) => {
          underWay -= batch.length;
          const results = decodeReply(reply, requests);
          for (const [index, { resolve }] of batch.entries())
            resolve(results[index] ?? failure("error", "the script answered too few checks"));
        },
        (error) => {
          if (isUnloaded(error) && calls < CALLS_MAX) return call(calls + 1);
          underWay -= batch.length;
          const result = failureOf(error, slotOf !== undefined);
          for (const { resolve } of batch) resolve(result);
        },
      );
    void call(1);
  }
}

/** A request's keys are of one slot: whoever asks has seen to it. */
function bySlot(batch: Waiting[], slotOf: (key: string) => number): Waiting[][] {
  if (batch.length === 1) return [batch];
  const parts = new Map<number, Waiting[]>();
  for (const each of batch) {
    const slot = slotOf(each.request.rules[0]?.key ?? "");
    const part = parts.get(slot);
    if (part === undefined) parts.set(slot, [each]);
    else part.push(each);
  }
  return [...parts.values()];
}

type CheckCommand = {
  /** Strings come back as buffers. */
  headgateCheckBuffer(
    numberOfKeys: number,
    ...keysAndArguments: (string | Buffer)[]
  ): Promise<unknown>;
};

/** A call that finds no script loads it for the next; ioredis calls twice, and another flush in between is met here. */
const CALLS_MAX = 4;

function isUnloaded(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}

/** ioredis adds a defined command to the client itself, which its types cannot say. */
function withCheckCommand(redis: Redis): CheckCommand {
  redis.defineCommand("headgateCheck", { lua: readScript("check") });
  return redis as unknown as CheckCommand;
}

/** How ioredis says it, in words of its options. */
const CLIENT_WORDS = /^(Stream isn't writeable|Connection is closed|Reached the max retries).*$/s;

function failureOf(error: unknown, isCluster: boolean): CheckFailure {
  const text = error instanceof Error ? error.message : String(error);
  const isReply = error instanceof Error && error.name === "ReplyError";
  const isMisused = !isCluster && /^(MOVED|ASK|CROSSSLOT) /.test(text);
  const message = isMisused
    ? `${text} (this is a cluster's node: set REDIS_CLUSTER)`
    : text.replace(CLIENT_WORDS, "Redis is not connected");
  return failure(isReply ? "error" : "disconnected", message);
}
