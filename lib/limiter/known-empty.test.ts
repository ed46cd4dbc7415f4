import { describe, expect, test } from "vitest";
import { tokenBucket } from "@/lib/core/bucket";
import { fixedWindow } from "@/lib/core/fixed-window";
import { slidingWindow } from "@/lib/core/sliding-window";
import { createMemoryRedis } from "@/lib/testing/memory-redis";
import { createKnownEmpty } from "./known-empty";
import type { LimiterRule } from "./state-key";

const SLOW = tokenBucket({ rate: 7, per: "1s", burst: 7 });

function rule(fields: Partial<LimiterRule> = {}): LimiterRule {
  return {
    ruleId: "per-key",
    key: "hg:test:1:{key:k}",
    slot: 1,
    role: "enforced",
    limit: SLOW,
    cost: 1,
    failMode: "local",
    ...fields,
  };
}

describe("a bucket that Redis refused", () => {
  test("is refused from memory until a token can be there, and then Redis decides", async () => {
    const redis = createMemoryRedis();
    const { check, counters } = redis.gateway();
    for (let i = 0; i < 7; i += 1) await check([rule()]);
    expect(await check([rule()])).toMatchObject({ verdict: "refused", binding: { resetMs: 143 } });
    expect(redis.calls).toBe(8);
    redis.clock.advance(100);
    const refused = await check([rule()]);
    expect(refused).toMatchObject({
      verdict: "refused",
      source: "redis",
      memory: "known-empty",
      binding: { ruleId: "per-key", remaining: 0, resetMs: 43, retryAfterMs: 43, charged: false },
    });
    expect(redis.calls).toBe(8);
    expect(counters.decisions["known-empty"]).toBe(1);
    redis.clock.advance(43);
    expect(await check([rule()])).toMatchObject({ verdict: "allowed" });
    expect(redis.calls).toBe(9);
  });

  test.each([
    ["token bucket", tokenBucket({ rate: 7, per: "13s", burst: 7 })],
    ["sliding window", slidingWindow({ rate: 7, per: "13s" })],
    ["fixed window", fixedWindow({ rate: 7, per: "13s" }, "UTC")],
  ])("serves a lone client that waits out what memory told it: %s", async (_, limit) => {
    const redis = createMemoryRedis();
    const { check } = redis.gateway();
    for (let phase = 0; phase < 20; phase += 1) {
      let last = await check([rule({ limit })]);
      while (last.verdict === "allowed") last = await check([rule({ limit })]);
      redis.clock.advance(37.1 * phase);
      const told = (await check([rule({ limit })])).binding?.retryAfterMs ?? 0;
      redis.clock.advance(told);
      expect(await check([rule({ limit })])).toMatchObject({ verdict: "allowed" });
      redis.clock.advance(phase);
    }
  });

  test("is asked for again after a second, however long the wait: tokens may have been given back", async () => {
    const redis = createMemoryRedis();
    const { check } = redis.gateway();
    const daily = rule({ limit: fixedWindow({ rate: 1, per: "1d" }, "UTC") });
    await check([daily]);
    await check([daily]);
    await redis.ask([{ ...daily, op: "refund", takenUs: redis.clock.nowMs() * 1000 }]);
    redis.clock.advance(999);
    expect((await check([daily])).verdict).toBe("refused");
    redis.clock.advance(1);
    expect((await check([daily])).verdict).toBe("allowed");
  });

  test("is only known not to have what was asked for: less goes to Redis, more waits longer", async () => {
    const redis = createMemoryRedis();
    const { check } = redis.gateway();
    await check([rule({ cost: 4 })]);
    await check([rule({ cost: 5 })]);
    const { calls } = redis;
    expect((await check([rule({ cost: 5 })])).binding).toMatchObject({ remaining: 3 });
    expect((await check([rule({ cost: 6 })])).binding?.retryAfterMs).toBe(429);
    expect((await check([rule({ cost: 8 })])).binding?.retryAfterMs).toBeNull();
    expect(redis.calls).toBe(calls);
    expect((await check([rule({ cost: 3 })])).verdict).toBe("allowed");
    expect(redis.calls).toBe(calls + 1);
  });

  test("is not refused from memory for a request with its candidate, which Redis goes on charging", async () => {
    const redis = createMemoryRedis();
    const { check } = redis.gateway();
    const candidate = rule({
      role: "shadow",
      slot: 2,
      limit: tokenBucket({ rate: 9, per: "1s", burst: 9 }),
    });
    for (let i = 0; i < 7; i += 1) await check([rule(), candidate]);
    await check([rule(), candidate]);
    const { calls } = redis;
    expect(await check([rule(), candidate])).toMatchObject({
      verdict: "refused",
      perRule: [{ allowed: false }, { allowed: true, charged: true, remaining: 0 }],
    });
    expect(redis.calls).toBe(calls + 1);
    // Another rule that surely refuses closes the candidate's world, too.
    const other = rule({
      ruleId: "other",
      slot: 3,
      limit: tokenBucket({ rate: 1, per: "1h", burst: 1 }),
    });
    await check([other]);
    await check([other]);
    expect(await check([rule(), candidate, other])).toMatchObject({ memory: "known-empty" });
  });

  test("leaves other rules of the request uncharged; a shadow rule is a hit where it is known to be empty", async () => {
    const redis = createMemoryRedis();
    const { check } = redis.gateway();
    const shadow = rule({
      ruleId: "shadow",
      role: "shadow",
      slot: 2,
      limit: tokenBucket({ rate: 3, per: "1m", burst: 7 }),
    });
    const full = rule({
      ruleId: "full",
      slot: 3,
      limit: tokenBucket({ rate: 1, per: "1s", burst: 100 }),
    });
    for (let i = 0; i < 8; i += 1) await check([rule(), shadow, full]);
    redis.asked.length = 0;
    expect(await check([rule(), shadow, full])).toMatchObject({
      verdict: "refused",
      binding: { ruleId: "per-key" },
      perRule: [
        { allowed: false, charged: false },
        { ruleId: "shadow", role: "shadow", allowed: false, charged: false },
        { ruleId: "full", allowed: true, charged: false },
      ],
    });
    expect(redis.asked).toEqual([]);
    expect((await check([full])).binding?.remaining).toBe(92);
  });

  test("a shadow rule alone refuses nothing, from memory either", async () => {
    const redis = createMemoryRedis();
    const { check } = redis.gateway();
    const shadow = rule({ role: "shadow" });
    for (let i = 0; i < 9; i += 1) expect((await check([shadow])).verdict).toBe("allowed");
    expect(redis.calls).toBe(9);
  });

  test("is forgotten with its limit, after a publish, and after a reset", async () => {
    const redis = createMemoryRedis();
    const { check, forget } = redis.gateway();
    const empty = async () => {
      while ((await check([rule()])).verdict === "allowed");
      redis.calls = 0;
      await check([rule()]);
      expect(redis.calls).toBe(0);
    };
    await empty();
    await check([rule({ limit: tokenBucket({ rate: 8, per: "1s", burst: 8 }) })]);
    expect(redis.calls).toBe(1);
    await empty();
    forget();
    await check([rule()]);
    expect(redis.calls).toBe(1);
    await empty();
    forget("key:other");
    await check([rule()]);
    expect(redis.calls).toBe(0);
    forget("key:k");
    await check([rule()]);
    expect(redis.calls).toBe(1);
  });

  test("is not learnt from an answer that was under way when all was forgotten", async () => {
    const redis = createMemoryRedis();
    const { check, forget } = redis.gateway();
    while ((await check([rule()])).verdict === "allowed");
    forget();
    redis.calls = 0;
    const underWay = check([rule()]);
    redis.clock.advance(1);
    forget();
    await underWay;
    await check([rule()]);
    expect(redis.calls).toBe(2);
  });

  test("requests in flight are never known to be too many", async () => {
    const redis = createMemoryRedis();
    const { check } = redis.gateway();
    const inFlight = rule({ limit: { algorithm: "concurrency", quota: 1, leaseSeconds: 60 } });
    for (let i = 0; i < 4; i += 1) await check([inFlight]);
    expect(redis.calls).toBe(4);
  });
});

test("no more buckets are known than the bound: the one refused longest ago goes first", () => {
  const known = createKnownEmpty({ maxEntries: 3 });
  const ofKey = (n: number) => rule({ key: `hg:test:1:{key:${n}}` });
  const refuse = (n: number) => {
    const { ruleId, role } = ofKey(n);
    const waits = { remaining: 0, resetMs: 500, retryAfterMs: 500 };
    const outcome = { ruleId, role, allowed: false, charged: false, ...waits };
    known.learn([ofKey(n)], [outcome], { sentMs: n, receivedMs: n });
  };
  for (const n of [1, 2, 3, 1, 4]) refuse(n);
  expect(known.size).toBe(3);
  expect([1, 2, 3, 4].map((n) => known.find(ofKey(n), 10)?.allowed)).toEqual([
    false,
    undefined,
    false,
    false,
  ]);
  for (let n = 5; n < 1_000; n += 1) refuse(n);
  expect(known.size).toBe(3);
});
