import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Clock, SystemClock } from "@/lib/clock";
import { tokenBucket } from "@/lib/core/bucket";
import type { BucketLimit } from "@/lib/core/bucket-limit";
import { fixedWindow } from "@/lib/core/fixed-window";
import { slidingWindow } from "@/lib/core/sliding-window";
import { createLog } from "@/lib/log";
import { startRedis } from "@/lib/testing/redis";
import { waitFor } from "@/lib/testing/wait-for";
import { createLimiter, type Limiter } from "./limiter";
import type { LimiterRule } from "./state-key";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A machine's clock that somebody sets. Time itself passes as it does. */
class SteppedClock implements Clock {
  readonly #system = new SystemClock();
  stepMs = 0;

  nowMs(): number {
    return this.#system.nowMs() + this.stepMs;
  }

  monotonicMs(): number {
    return this.#system.monotonicMs();
  }
}

/** Nothing of them comes back within a test; the longest that a client is ever to wait. */
const LIMITS: [kind: string, limit: BucketLimit, longestMs: number][] = [
  ["a token bucket", tokenBucket({ rate: 2, per: "1h", burst: 4 }), HOUR_MS / 2],
  ["a sliding window", slidingWindow({ rate: 4, per: "30d" }), 60 * DAY_MS],
  ["a fixed window", fixedWindow({ rate: 4, per: "12mo" }, "UTC"), 366 * DAY_MS],
];

let server: Awaited<ReturnType<typeof startRedis>>;
const cleanups: (() => void)[] = [];
beforeAll(async () => {
  server = await startRedis();
});
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});
afterAll(() => server.stop());

function openLimiter(clock: Clock, port = server.port): Limiter {
  const redis = new Redis({
    port,
    host: "127.0.0.1",
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => 50,
  });
  redis.on("error", () => {});
  const limiter = createLimiter({
    state: { kind: "single", redis },
    environment: "test",
    clock,
    log: createLog({ name: "test", level: "silent" }),
    deadlineMs: 2_000,
    fleetSize: () => 1,
  });
  cleanups.push(() => {
    limiter.close();
    redis.disconnect();
  });
  return limiter;
}

async function openShared(clock: Clock): Promise<Limiter> {
  const limiter = openLimiter(clock);
  await waitFor(() => limiter.status().clockOffsetMs !== null, { what: "the first probe" });
  return limiter;
}

let slots = 0;
function rule(limit: BucketLimit): LimiterRule {
  slots += 1;
  const key = "hg:test:1:{key:one}";
  return {
    ...{ ruleId: `rule-${slots}`, key, slot: slots, role: "enforced", limit, cost: 1 },
    failMode: "local",
  };
}

/** Half used; then the clock is set back an hour and forth two, and every time one token less is there. */
async function livesThrough(limiter: Limiter, clock: SteppedClock, limit: BucketLimit) {
  const four = rule(limit);
  const seen: unknown[] = [];
  for (const step of [0, 0, -HOUR_MS, HOUR_MS, -HOUR_MS, HOUR_MS, 0]) {
    clock.stepMs = step;
    const { verdict, binding, source } = await limiter.check([four]);
    seen.push([source, verdict, binding?.remaining]);
    if (verdict === "refused") seen.push(binding?.retryAfterMs);
  }
  const waits = seen.filter((each) => typeof each === "number");
  const answers = seen.filter((each) => Array.isArray(each));
  return { waits, answers };
}

function expected(source: string) {
  return [
    [source, "allowed", 3],
    [source, "allowed", 2],
    [source, "allowed", 1],
    [source, "allowed", 0],
    ...Array(3).fill([source, "refused", 0]),
  ];
}

describe.each(LIMITS)(
  "a gateway whose clock is set back an hour and forth two, on %s",
  (_, limit, longestMs) => {
    test("gives nobody a second burst and no longer wait while Redis is up", async () => {
      const clock = new SteppedClock();
      const { waits, answers } = await livesThrough(await openShared(clock), clock, limit);
      expect(answers).toEqual(expected("redis"));
      expect(Math.max(...waits)).toBeLessThanOrEqual(longestMs);
      expect(Math.max(...waits) - Math.min(...waits)).toBeLessThan(60_000);
    });

    test("gives nobody a second burst and no longer wait on local buckets", async () => {
      const clock = new SteppedClock();
      const { waits, answers } = await livesThrough(openLimiter(clock, 1), clock, limit);
      expect(answers).toEqual(expected("local"));
      expect(Math.max(...waits)).toBeLessThanOrEqual(longestMs);
      expect(Math.max(...waits) - Math.min(...waits)).toBeLessThan(60_000);
    });
  },
);

test("two gateways whose clocks differ by two hours count in one window, and its end is Redis's", async () => {
  const behind = new SteppedClock();
  behind.stepMs = -HOUR_MS;
  const ahead = new SteppedClock();
  ahead.stepMs = HOUR_MS;
  // Of the hours in which a test may run the calendar's month has the fewest ends.
  const monthly = rule(fixedWindow({ rate: 3, per: "1mo" }, "UTC"));
  const limiters = [await openShared(behind), await openShared(ahead)];
  const left: unknown[] = [];
  for (const limiter of [...limiters, ...limiters]) {
    const { verdict, source, binding } = await limiter.check([monthly]);
    left.push([source, verdict, binding?.remaining]);
  }
  expect(left).toEqual([
    ["redis", "allowed", 2],
    ["redis", "allowed", 1],
    ["redis", "allowed", 0],
    ["redis", "refused", 0],
  ]);
});

test("a gateway that starts a year behind finds the window by Redis's clock", async () => {
  const clock = new SteppedClock();
  clock.stepMs = -366 * DAY_MS;
  const limiter = await openShared(clock);
  const yearly = rule(fixedWindow({ rate: 3, per: "12mo" }, "UTC"));
  const decision = await limiter.check([yearly]);
  expect(decision).toMatchObject({ verdict: "allowed", source: "redis" });
  expect(Math.abs(decision.nowUs / 1000 - Date.now())).toBeLessThan(60_000);
});

test("how far a clock is off shows in the status", async () => {
  const clock = new SteppedClock();
  const limiter = await openShared(clock);
  clock.stepMs = -HOUR_MS;
  expect(limiter.status().clockOffsetMs).toBeGreaterThan(HOUR_MS - 60_000);
  clock.stepMs = HOUR_MS;
  expect(limiter.status().clockOffsetMs).toBeLessThan(60_000 - HOUR_MS);
});
