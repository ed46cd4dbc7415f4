import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tokenBucket } from "@/lib/core/bucket";
import { slidingWindow } from "@/lib/core/sliding-window";
import { createMemoryRedis } from "@/lib/testing/memory-redis";
import type { LimiterRule } from "./state-key";

const common = { key: "hg:test:1:{key:k}", cost: 1, failMode: "local" } as const;
const bucket = (rate: number, burst: number) => tokenBucket({ rate, per: "1s", burst });

const ENFORCED: LimiterRule[] = [
  {
    ...common,
    ruleId: "a",
    slot: 1,
    role: "enforced",
    limit: bucket(80, 100),
    precision: "leased",
  },
  {
    ...common,
    ruleId: "b",
    slot: 2,
    role: "enforced",
    limit: bucket(900, 400),
    precision: "leased",
  },
  { ...common, ruleId: "c", slot: 3, role: "enforced", limit: bucket(60, 40), precision: "exact" },
];
const SHADOW: LimiterRule[] = [
  { ...common, ruleId: "a", slot: 4, role: "shadow", limit: bucket(40, 60), precision: "leased" },
  { ...common, ruleId: "b", slot: 5, role: "shadow", limit: bucket(40, 60), precision: "exact" },
  { ...common, ruleId: "c", slot: 6, role: "shadow", limit: bucket(99, 60), precision: "leased" },
  { ...common, ruleId: "s", slot: 7, role: "shadow", limit: bucket(20, 20), precision: "leased" },
  { ...common, ruleId: "t", slot: 8, role: "shadow", limit: bucket(50, 50), precision: "exact" },
  {
    ...common,
    ruleId: "u",
    slot: 9,
    role: "shadow",
    limit: slidingWindow({ rate: 30, per: "1s" }),
    precision: "approximate",
  },
];

/** A kind of request, how many of it one after another, and how far apart. */
const history = fc.array(
  fc.record({
    enforced: fc.subarray(ENFORCED, { minLength: 1 }),
    shadow: fc.subarray(SHADOW),
    count: fc.integer({ min: 1, max: 60 }),
    apartMs: fc.constantFrom(0.3, 1, 4, 40),
  }),
  { minLength: 1, maxLength: 12 },
);

type Steps = typeof history extends fc.Arbitrary<infer T> ? T : never;

async function run(steps: Steps, withShadow: boolean) {
  const redis = createMemoryRedis();
  const gateway = redis.gateway({ leaseAbovePerSecond: 100 });
  const answers: string[] = [];
  const seen = { candidates: 0, after: 0, leased: 0 };
  for (const { enforced, shadow, count, apartMs } of steps) {
    const rules = withShadow ? [...enforced, ...shadow] : enforced;
    for (let i = 0; i < count; i += 1) {
      const decision = await gateway.check(rules);
      const { verdict, binding } = decision;
      answers.push(`${verdict} ${binding?.ruleId} ${verdict === "allowed" && binding?.remaining}`);
      const last = (await decision.later) ?? decision;
      if (decision.later !== undefined) seen.after += 1;
      if (decision.memory === "leased") seen.leased += 1;
      if (verdict === "refused" && last.perRule.some(({ charged }) => charged))
        seen.candidates += 1;
      // What a rule was asked about ahead is here before the next request.
      await turn();
      redis.clock.advance(apartMs);
    }
  }
  const left = await redis.ask(ENFORCED.map((rule) => ({ ...rule, op: "force", cost: 0 })));
  const { spentTokens, leasedTokens } = gateway.counters;
  gateway.close();
  return {
    answers,
    left: left.perRule.map(({ remaining }) => remaining),
    seen,
    spentTokens,
    leasedTokens,
  };
}

describe("deciding from memory", () => {
  test("rules in shadow and candidates change no answer and no enforced bucket", async () => {
    const total = { candidates: 0, after: 0, leased: 0 };
    const property = fc.asyncProperty(history, async (steps) => {
      const alone = await run(steps, false);
      const beside = await run(steps, true);
      expect(beside.answers).toEqual(alone.answers);
      expect(beside.left).toEqual(alone.left);
      for (const [what, count] of Object.entries(beside.seen))
        total[what as keyof typeof total] += count;
    });
    await fc.assert(property, { numRuns: 40, seed: 20_261_130 });
    for (const [what, count] of Object.entries(total))
      expect([what, count > 100]).toEqual([what, true]);
  }, 60_000);

  test("a hot request stays in memory beside a rule in shadow that is exact; that is asked after", async () => {
    const redis = createMemoryRedis();
    const { check } = redis.gateway({ leaseAbovePerSecond: 100 });
    const [, hot] = ENFORCED;
    const [, , , , exact] = SHADOW;
    if (hot === undefined || exact === undefined) throw new Error("no rules");
    const hits = [];
    for (let i = 0; i < 200; i += 1) {
      const decision = await check([hot, exact]);
      const { verdict, memory, later } = decision;
      expect(verdict).toBe("allowed");
      if (i > 50) expect(memory).toBe("leased");
      hits.push(((await later) ?? decision).perRule[1]?.allowed === false);
      redis.clock.advance(1);
    }
    expect(hits.filter((isHit) => isHit).length).toBeGreaterThan(120);
    expect(hits.slice(0, 50)).not.toContain(true);
  });
});
