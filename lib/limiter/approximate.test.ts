import { describe, expect, test } from "vitest";
import { tokenBucket } from "@/lib/core/bucket";
import { type BucketLimit, quotaOf } from "@/lib/core/bucket-limit";
import { fixedWindow } from "@/lib/core/fixed-window";
import { slidingWindow } from "@/lib/core/sliding-window";
import { createMemoryRedis } from "@/lib/testing/memory-redis";
import { seeded } from "@/lib/testing/random";
import { waitFor } from "@/lib/testing/wait-for";
import { createApproximate } from "./approximate";
import { createMemoryCounters } from "./memory-counters";
import type { LimiterRule } from "./state-key";

const LIMITS: [string, BucketLimit][] = [
  ["token bucket", tokenBucket({ rate: 100, per: "10s", burst: 100 })],
  ["sliding window", slidingWindow({ rate: 100, per: "10s" })],
  ["fixed window", fixedWindow({ rate: 100, per: "10s" }, "UTC")],
];
const [, SLIDING] = LIMITS[1] ?? ["", slidingWindow({ rate: 100, per: "10s" })];

function rule(fields: Partial<LimiterRule> = {}): LimiterRule {
  return {
    ruleId: "in-all",
    key: "hg:test:1:{global:1}",
    slot: 1,
    role: "enforced",
    limit: SLIDING,
    cost: 1,
    failMode: "local",
    precision: "approximate",
    ...fields,
  };
}

/** Gateways that count ahead of one Redis, without timers: `turn` lets time pass, and syncs what is due. */
function world(gateways: number) {
  const redis = createMemoryRedis();
  const all = Array.from({ length: gateways }, (_, n) => {
    const counters = createMemoryCounters();
    const approximate = createApproximate({
      ask: redis.ask,
      clock: redis.clock,
      redisUs: () => redis.clock.nowMs() * 1000,
      gateways: () => gateways,
      counters,
      random: seeded(n + 1),
    });
    const check = async (asked: LimiterRule): Promise<boolean> => {
      const views = approximate.judge([asked]);
      if (views !== null) {
        views.charge();
        return views.decision.verdict === "allowed";
      }
      const rules = [{ ...asked, tells: true as const }];
      const { verdict, source, perRule } = await redis.ask(rules);
      if (source === "redis") approximate.learn([asked], perRule);
      return verdict === "allowed";
    };
    return { counters, approximate, check };
  });
  const turn = async (ms: number) => {
    redis.clock.advance(ms);
    for (const { approximate } of all) await approximate.syncDue();
  };
  return { redis, all, turn };
}

describe.each(LIMITS)("an approximate %s", (_, limit) => {
  test("is as exact where two plans hold one bucket to amounts of their own", async () => {
    const { redis, all, turn } = world(1);
    const [free, paid] = [{ ...limit }, { ...limit }].map((each) => rule({ limit: each }));
    let allowed = 0;
    // Of 10 s at the limit's rate five times over; the plan changes more often than Redis is told.
    for (let i = 0; i < 2_000; i += 1) {
      const asked = i % 6 === 5 ? paid : free;
      if (asked && (await all[0]?.check(asked))) allowed += 1;
      await turn(5);
    }
    expect(allowed).toBeGreaterThanOrEqual(100);
    expect(allowed).toBeLessThanOrEqual(200);
    expect(redis.calls).toBeLessThan(1_000);
    const { overshoot = 0 } = all[0]?.counters.overshoot.get("in-all") ?? {};
    expect(overshoot).toBeLessThanOrEqual(limit.algorithm === "token-bucket" ? 10 : 0);
  });

  test("is exact at one gateway, and asks Redis about once a second", async () => {
    const { redis, all, turn } = world(1);
    let allowed = 0;
    // At its limit's own rate, twice over.
    for (let i = 0; i < 1_000; i += 1) {
      if (await all[0]?.check(rule({ limit }))) allowed += 1;
      await turn(10);
    }
    expect(allowed).toBeGreaterThanOrEqual(100);
    expect(allowed).toBeLessThanOrEqual(200);
    // A bucket that Redis thought full took in nothing for a second.
    const late = limit.algorithm === "token-bucket" ? 10 : 0;
    expect(all[0]?.counters.overshoot.get("in-all")?.overshoot).toBeLessThanOrEqual(late);
    expect(redis.calls).toBeLessThanOrEqual(14);
    all[0]?.approximate.close();
  });

  test("at four gateways passes its limit by no more than is measured, nor than the stated bound", async () => {
    const { redis, all, turn } = world(4);
    let allowed = 0;
    for (let i = 0; i < 200; i += 1) {
      for (const { check } of all) if (await check(rule({ limit }))) allowed += 1;
      await turn(10);
    }
    await turn(1_500);
    const tallies = all.flatMap(({ counters }) => [...counters.overshoot.values()]);
    const sum = (of: "counted" | "overshoot" | "bound") =>
      tallies.reduce((total, tally) => total + tally[of], 0);
    const came = limit.algorithm === "token-bucket" ? 35 : 0;
    expect(allowed).toBeGreaterThan(quotaOf(limit));
    expect(allowed - quotaOf(limit) - came).toBeLessThanOrEqual(sum("overshoot"));
    expect(sum("overshoot")).toBeLessThanOrEqual(sum("counted"));
    expect(sum("bound")).toBe(4 * sum("counted"));
    for (const { check } of all) expect(await check(rule({ limit, cost: 30 }))).toBe(false);
    expect(redis.calls).toBeLessThanOrEqual(4 * 5);
    for (const { approximate } of all) approximate.close();
  });
});

describe("an approximate rule", () => {
  test("while Redis is away is asked like an exact one, and what was counted before is told after", async () => {
    const { redis, all, turn } = world(1);
    const [gateway] = all;
    for (let i = 0; i < 10; i += 1) await gateway?.check(rule());
    redis.isAway = true;
    await turn(1_200);
    expect(gateway?.counters.failedSyncs).toBe(1);
    const { calls } = redis;
    await gateway?.check(rule());
    expect(redis.calls).toBe(calls + 1);
    redis.isAway = false;
    await turn(1_200);
    const { perRule } = await redis.ask([rule({ op: "force", cost: 0 })]);
    expect(perRule[0]?.remaining).toBe(90);
  });

  test.each([
    ["sliding window", slidingWindow({ rate: 100, per: "10s" })],
    ["fixed window", fixedWindow({ rate: 100, per: "10s" }, "UTC")],
    ["token bucket", tokenBucket({ rate: 100, per: "10s", burst: 100 })],
  ])("what a window that is over counted is not charged to the next: %s", async (_, limit) => {
    const { redis, all, turn } = world(1);
    const [gateway] = all;
    for (let i = 0; i < 10; i += 1) await gateway?.check(rule({ limit }));
    redis.isAway = true;
    for (let i = 0; i < 20; i += 1) await turn(1_000);
    redis.isAway = false;
    await turn(1_200);
    expect(gateway?.counters.discardedTokens).toBe(9);
    const { perRule } = await redis.ask([rule({ limit, op: "force", cost: 0 })]);
    expect(perRule[0]?.remaining).toBe(100);
  });

  test("counts on while a sync is under way, and its answer undoes nothing", async () => {
    const redis = createMemoryRedis();
    let release = () => {};
    const approximate = createApproximate({
      ask: async (rules) => {
        const decision = await redis.ask(rules);
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return decision;
      },
      clock: redis.clock,
      redisUs: () => redis.clock.nowMs() * 1000,
      gateways: () => 1,
      counters: createMemoryCounters(),
    });
    const { perRule } = await redis.ask([{ ...rule(), tells: true }]);
    approximate.learn([rule()], perRule);
    const take = (cost: number) => {
      const views = approximate.judge([rule({ cost })]);
      views?.charge();
      return views?.decision.binding?.remaining;
    };
    expect(take(9)).toBe(90);
    redis.clock.advance(1_200);
    const syncing = approximate.syncDue();
    expect(take(20)).toBe(70);
    await waitFor(() => redis.calls === 2);
    await new Promise(setImmediate);
    release();
    await syncing;
    expect(take(5)).toBe(65);
    approximate.close();
  });

  test("that is flushed leaves nothing untold, also what came during a sync", async () => {
    const { redis, all } = world(2);
    const [a, b] = all;
    const asked = [1, 2, 3].map((n) => rule({ key: `hg:test:1:{global:f${n}}` }));
    for (const one of asked) for (let i = 0; i < 20; i += 1) await a?.check(one);
    redis.clock.advance(2_000);
    const syncing = a?.approximate.syncDue();
    for (const one of asked) for (let i = 0; i < 7; i += 1) await a?.check(one);
    await Promise.all([syncing, a?.approximate.flush()]);
    for (const one of asked) {
      let left = 0;
      while (await b?.check(one)) left += 1;
      expect(left).toBe(100 - 27);
    }
  });

  test("tells Redis the last of a window before it ends", async () => {
    const { redis, all, turn } = world(1);
    const [gateway] = all;
    for (let i = 0; i < 99; i += 1) {
      await gateway?.check(rule());
      await turn(100);
    }
    await turn(85);
    const told = redis.asked.reduce((sum, { op, cost }) => sum + (op === "force" ? cost : 1), 0);
    expect(told).toBe(99);
    await turn(100);
    expect(gateway?.counters.discardedTokens).toBe(0);
  });

  test("is given back what another rule refuses; its refusal leaves the other alone", async () => {
    const redis = createMemoryRedis();
    const { check, close } = redis.gateway();
    const other = rule({
      ruleId: "per-key",
      key: "hg:test:1:{key:k}",
      precision: "exact",
      limit: tokenBucket({ rate: 1, per: "1h", burst: 3 }),
    });
    await check([rule()]);
    for (let i = 0; i < 3; i += 1) expect((await check([rule(), other])).verdict).toBe("allowed");
    const last = await check([rule(), other]);
    expect(last).toMatchObject({
      verdict: "refused",
      binding: { ruleId: "per-key" },
      perRule: [{ ruleId: "in-all" }, { ruleId: "per-key", allowed: false }],
    });
    expect((await check([rule()])).binding?.remaining).toBe(100 - 5);
    const { calls } = redis;
    expect(
      await check([rule({ cost: 96 }), { ...other, key: "hg:test:1:{key:other}" }]),
    ).toMatchObject({
      verdict: "refused",
      memory: "approximate",
      binding: { ruleId: "in-all" },
    });
    expect(redis.calls).toBe(calls);
    close();
  });

  test("in shadow changes no answer, and is a hit where it is over", async () => {
    const redis = createMemoryRedis();
    const { check, close } = redis.gateway();
    const shadow = rule({ role: "shadow", limit: slidingWindow({ rate: 3, per: "10s" }) });
    const hits = [];
    for (let i = 0; i < 5; i += 1) hits.push((await check([shadow])).perRule[0]?.allowed);
    expect(hits).toEqual([true, true, true, false, false]);
    expect((await check([shadow])).verdict).toBe("allowed");
    close();
  });

  test("that refuses beside its candidate charges the candidate", async () => {
    const redis = createMemoryRedis();
    const { check, close } = redis.gateway();
    const live = rule({ limit: slidingWindow({ rate: 2, per: "10s" }) });
    const candidate = rule({
      slot: 2,
      role: "shadow",
      limit: slidingWindow({ rate: 9, per: "10s" }),
    });
    for (let i = 0; i < 2; i += 1) await check([live, candidate]);
    expect(await check([live, candidate])).toMatchObject({
      verdict: "refused",
      perRule: [{ allowed: false }, { allowed: true, charged: true }],
    });
    close();
  });

  test("of which there are too many is asked like an exact one", async () => {
    const redis = createMemoryRedis();
    const approximate = createApproximate({
      ask: redis.ask,
      clock: redis.clock,
      redisUs: () => redis.clock.nowMs() * 1000,
      gateways: () => 1,
      counters: createMemoryCounters(),
      maxViews: 2,
    });
    for (const n of [1, 2, 3]) {
      const asked = rule({ key: `hg:test:1:{key:${n}}` });
      const { perRule } = await redis.ask([{ ...asked, tells: true }]);
      approximate.learn([asked], perRule);
      expect(approximate.judge([asked]) === null).toBe(n === 3);
    }
    approximate.close();
  });

  test("is asked again about a principal that was reset", async () => {
    const redis = createMemoryRedis();
    const { check, forget, close } = redis.gateway();
    const ofKey = rule({ key: "hg:test:1:{key:k}" });
    for (let i = 0; i < 5; i += 1) await check([ofKey]);
    expect(redis.calls).toBe(1);
    forget("key:k");
    await check([ofKey]);
    expect(redis.calls).toBe(2);
    close();
  });
});
