import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { simulateLeases } from "@/lib/testing/simulate-leases";

const LIMIT = { rate: 1_000, per: "1s", burst: 1_000 };
const SECONDS = 5;

/** Loads of a gateway, half a second each, again and again. */
const inTurns = (loads: readonly number[]) => (atSeconds: number) =>
  loads[Math.floor(atSeconds * 2) % loads.length] ?? 0;

const even = (total: number, gateways: number) =>
  Array.from({ length: gateways }, () => ({ load: () => total / gateways }));

const anyLoads = fc.array(fc.constantFrom(0, 0, 100, 500, 2_000, 6_000), {
  minLength: 1,
  maxLength: 6,
});
/** It has a lease, then is idle, for less or more than a lease's life; then as much as it can. */
const idleLoads = fc
  .record({ first: fc.constantFrom(100, 500, 800), idle: fc.integer({ min: 1, max: 4 }) })
  .map(({ first, idle }) => [first, ...Array.from({ length: idle }, () => 0), 6_000, 0]);

const gatewayPlan = fc
  .record({
    loads: fc.oneof(anyLoads, idleLoads),
    drift: fc.double({ min: -0.04, max: 0.04, noNaN: true }),
    offsetMs: fc.constantFrom(0, -3_600_000, 86_400_000),
  })
  .map(({ loads, ...clocks }) => ({ load: inTurns(loads), ...clocks }));

const rough = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  amount: fc.constantFrom(
    LIMIT,
    { rate: 1_000, per: "1s", burst: 100 },
    { rate: 500, per: "1s", burst: 1_500 },
    { rate: 3_000, per: "1s", burst: 3_000 },
    { rate: 7, per: "1s", burst: 700 },
  ),
  gateways: fc.array(gatewayPlan, { minLength: 1, maxLength: 4 }),
  lost: fc.constantFrom(0, 0.02, 0.3),
  late: fc.constantFrom(0, 0.05),
  crashes: fc.constantFrom(0, 0.5, 4),
});

describe("leases", () => {
  test("never admit more than burst + rate x T in any T: crashes, losses, delays, skewed clocks", async () => {
    const seen = { nearBound: 0, leased: 0, expired: 0, short: 0 };
    const property = fc.asyncProperty(rough, async (plan) => {
      const { excess, bucket, counters } = await simulateLeases({ ...plan, seconds: 4 });
      expect(excess).toBeLessThanOrEqual(bucket.burst + 1e-6);
      if (excess > 0.9 * bucket.burst) seen.nearBound += 1;
      for (const { leasedTokens, expiredTokens, spentTokens, decisions } of counters) {
        if (leasedTokens > 0) seen.leased += 1;
        if (expiredTokens > 0) seen.expired += 1;
        if (decisions.leased > spentTokens) seen.short += 1;
      }
    });
    await fc.assert(property, { numRuns: 60, seed: 20_261_130 });
    // Runs that never come near the bound, or never lease, would prove nothing about it.
    for (const [what, count] of Object.entries(seen))
      expect([what, count >= 10]).toEqual([what, true]);
  }, 60_000);

  test.each([
    { load: 0.8, gateways: 1 },
    { load: 0.8, gateways: 4 },
    { load: 0.95, gateways: 4 },
    { load: 1, gateways: 4 },
    { load: 1.2, gateways: 2 },
    { load: 5, gateways: 1 },
    { load: 5, gateways: 4 },
  ])("admit 97 % of what may pass: $load times the limit at $gateways gateways", async (of) => {
    const { offered, admitted, excess } = await simulateLeases({
      seed: 11,
      amount: LIMIT,
      seconds: SECONDS,
      gateways: even(LIMIT.rate * of.load, of.gateways),
      startsEmpty: of.load >= 1,
    });
    const may = Math.min(offered, LIMIT.rate * SECONDS);
    expect(admitted / may).toBeGreaterThanOrEqual(0.97);
    expect(excess).toBeLessThanOrEqual(LIMIT.burst + 1e-6);
  });

  test.each([{ n: 1 }, { n: 5 }])(
    "admit 90 % with one gateway idle in turns, at $n times the limit",
    async ({ n }) => {
      const busy = Array.from({ length: 3 }, () => ({ load: () => (LIMIT.rate * n) / 4 }));
      // It takes a lease and then goes idle, again and again.
      const idle = { load: inTurns([(LIMIT.rate * n) / 4, 0, 0]) };
      const { offered, admitted } = await simulateLeases({
        seed: 12,
        amount: LIMIT,
        seconds: SECONDS,
        gateways: [...busy, idle],
        startsEmpty: true,
      });
      const may = Math.min(offered, LIMIT.rate * SECONDS);
      expect(admitted / may).toBeGreaterThanOrEqual(0.9);
    },
  );

  test.each([{ load: 0.8 }, { load: 5 }])(
    "a key hit 5,000 times a second, $load times its limit, costs at most one call in 100",
    async ({ load }) => {
      const rate = 5_000 / load;
      const { calls, offered } = await simulateLeases({
        seed: 13,
        amount: { rate, per: "1s", burst: rate },
        seconds: SECONDS,
        gateways: even(5_000, 1),
        hotPerSecond: 200,
      });
      expect(calls / offered).toBeLessThanOrEqual(0.01);
    },
  );

  test("a key below the rate is exact: each check is a call", async () => {
    const { calls, offered, counters } = await simulateLeases({
      seed: 14,
      amount: LIMIT,
      seconds: SECONDS,
      gateways: even(100, 1),
      hotPerSecond: 200,
    });
    expect(calls).toBe(offered);
    expect(counters[0]?.leasedTokens).toBe(0);
  });
});
