import { describe, expect, test } from "vitest";
import { tokenBucket } from "@/lib/core/bucket";
import { createMemoryRedis } from "@/lib/testing/memory-redis";
import type { LimiterRule } from "./state-key";

const LIMIT = tokenBucket({ rate: 1_000, per: "1s", burst: 1_000 });
const SMALL = tokenBucket({ rate: 1, per: "1s", burst: 40 });

function rule(fields: Partial<LimiterRule> = {}): LimiterRule {
  return {
    ruleId: "hot",
    key: "hg:test:1:{key:k}",
    slot: 1,
    role: "enforced",
    limit: LIMIT,
    cost: 1,
    failMode: "local",
    precision: "leased",
    ...fields,
  };
}

/** A gateway that leases from few checks on, and `checks` of them, two a ms. */
function world() {
  const redis = createMemoryRedis();
  const gateway = redis.gateway({ leaseAbovePerSecond: 100 });
  const checks = async (rules: LimiterRule[], count: number) => {
    const decisions = [];
    for (let i = 0; i < count; i += 1) {
      decisions.push(await gateway.check(rules));
      redis.clock.advance(0.5);
    }
    return decisions;
  };
  return { redis, ...gateway, checks };
}

describe("a lease", () => {
  test("serves a hot key from memory, and its remaining is what one call would have said", async () => {
    const { redis, checks, counters } = world();
    const decisions = await checks([rule()], 400);
    expect(decisions.every(({ verdict }) => verdict === "allowed")).toBe(true);
    expect(redis.calls).toBeLessThan(30);
    expect(counters.decisions.leased).toBeGreaterThan(350);
    // 400 taken while 200 came in.
    const last = decisions.at(-1)?.binding;
    expect(last?.remaining).toBeGreaterThan(1_000 - 400);
    expect(last?.remaining).toBeLessThan(1_000 - 100);
    expect(last).toMatchObject({ resetMs: 0, retryAfterMs: 0, allowed: true, charged: true });
  });

  test("is not spent by a request with a rule that only Redis can decide", async () => {
    const { redis, checks, counters } = world();
    await checks([rule()], 100);
    const { spentTokens } = counters;
    const exact = rule({ ruleId: "exact", slot: 2, precision: "exact" });
    const { calls } = redis;
    await checks([rule(), exact], 20);
    expect(redis.calls).toBe(calls + 20);
    expect(counters.spentTokens).toBe(spentTokens);
  });

  test.each([
    ["cost above a quarter of the burst", rule({ limit: SMALL, cost: 11 })],
    ["burst of three", rule({ limit: tokenBucket({ rate: 900, per: "1s", burst: 3 }) })],
  ])("is not taken for a %s: it could serve no request", async (_, asked) => {
    const { redis, checks, counters } = world();
    await checks([asked], 100);
    expect(counters.leasedTokens).toBe(0);
    expect(redis.calls).toBeGreaterThan(0);
  });

  test("is not spent by a request that another leased rule refuses", async () => {
    const { redis, checks, counters } = world();
    const small = rule({ ruleId: "small", slot: 2, limit: SMALL });
    await checks([rule()], 50);
    await checks([rule(), small], 100);
    redis.asked.length = 0;
    const { spentTokens } = counters;
    const decisions = await checks([rule(), small], 20);
    expect(decisions.every(({ verdict }) => verdict === "refused")).toBe(true);
    expect(decisions.at(-1)).toMatchObject({
      binding: { ruleId: "small", remaining: 0, allowed: false },
      perRule: [{ ruleId: "hot", allowed: true, charged: false }, { allowed: false }],
    });
    expect(counters.spentTokens).toBe(spentTokens);
    expect(redis.calls).toBeGreaterThan(0);
  });

  test("of a candidate is spent where the live rule alone refuses", async () => {
    const { redis, checks, counters } = world();
    const live = rule({ limit: SMALL });
    const candidate = rule({ slot: 2, role: "shadow" });
    await checks([live, candidate], 200);
    redis.calls = 0;
    const { spentTokens } = counters;
    const decisions = await checks([live, candidate], 200);
    expect(decisions.every(({ verdict }) => verdict === "refused")).toBe(true);
    expect(redis.calls).toBeLessThan(30);
    expect(counters.spentTokens - spentTokens).toBeGreaterThan(150);
    expect(decisions.at(-1)?.perRule[1]).toMatchObject({ allowed: true, charged: true });
  });

  test("of a shadow rule that is over leaves the answer from memory, with its hit", async () => {
    const { redis, checks } = world();
    const shadow = rule({ ruleId: "shadow", slot: 2, role: "shadow", limit: SMALL });
    await checks([rule(), shadow], 200);
    redis.calls = 0;
    const decisions = await checks([rule(), shadow], 200);
    expect(decisions.every(({ verdict }) => verdict === "allowed")).toBe(true);
    expect(redis.calls).toBeLessThan(30);
    const hits = decisions.filter(({ perRule }) => perRule[1]?.allowed === false);
    expect(hits.length).toBeGreaterThan(180);
  });

  test.each(["monotonic", "wall"])("ends before Redis forgets it, by the %s clock", async (by) => {
    const { redis, checks, counters, check } = world();
    await checks([rule()], 100);
    const held = counters.leasedTokens - counters.spentTokens;
    expect(held).toBeGreaterThan(0);
    if (by === "wall") redis.clock.stepWall(1_000);
    else redis.clock.advance(1_000);
    const { calls } = redis;
    expect((await check([rule()])).memory).toBeUndefined();
    expect(redis.calls).toBe(calls + 1);
    expect(counters.expiredTokens).toBe(held);
  });

  test("is not lost where two plans hold one bucket to amounts of their own", async () => {
    const { checks, counters } = world();
    const ample = { rate: 10_000, per: "1s", burst: 10_000 };
    const [free, paid] = [ample, ample].map((amount) => rule({ limit: tokenBucket(amount) }));
    if (free === undefined || paid === undefined) throw new Error("no rules");
    let refused = 0;
    for (let i = 0; i < 100; i += 1) {
      const decisions = [...(await checks([free], 40)), ...(await checks([paid], 4))];
      refused += decisions.filter(({ verdict }) => verdict === "refused").length;
    }
    expect(refused).toBe(0);
    expect(counters.decisions.leased).toBeGreaterThan(3_000);
    expect(counters.leasedTokens - counters.spentTokens).toBeLessThan(400);
  });

  test("goes with the limit it was taken under, and after a reset", async () => {
    const { redis, checks, counters, check, forget } = world();
    await checks([rule()], 100);
    const changed = rule({ limit: tokenBucket({ rate: 500, per: "1s", burst: 500 }) });
    const { spentTokens } = counters;
    expect((await check([changed])).memory).toBeUndefined();
    expect(counters.spentTokens).toBe(spentTokens);
    redis.clock.advance(1_000);
    await check([rule()]);
    expect(counters.expiredTokens).toBeGreaterThan(0);
    await checks([rule()], 100);
    forget();
    expect((await check([rule()])).memory).toBe("leased");
    forget("key:k");
    expect((await check([rule()])).memory).toBeUndefined();
    expect(redis.calls).toBeGreaterThan(0);
  });

  test("that is held is spent while Redis is away; then this gateway decides by its share", async () => {
    const { redis, checks, counters } = world();
    await checks([rule()], 100);
    const held = counters.leasedTokens - counters.spentTokens;
    redis.isAway = true;
    const decisions = await checks([rule()], held + 20);
    expect(decisions.filter(({ memory }) => memory === "leased")).toHaveLength(held);
    expect(decisions.filter(({ source }) => source === "local")).toHaveLength(20);
    expect(counters.leasedTokens).toBe(counters.spentTokens);
  });
});
