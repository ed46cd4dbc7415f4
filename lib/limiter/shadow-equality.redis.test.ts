import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, expect, test } from "vitest";
import { tokenBucket } from "@/lib/core/bucket";
import type { BucketLimit } from "@/lib/core/bucket-limit";
import type { CheckRule } from "@/lib/core/check";
import { fixedWindow } from "@/lib/core/fixed-window";
import { slidingWindow } from "@/lib/core/sliding-window";
import { sharedRedisUrl } from "@/lib/testing/services";
import { createRedisStore } from "./redis-store";
import { START_US } from "./store-contract-suite";

const redis = new Redis(sharedRedisUrl());
afterAll(() => redis.disconnect());

const LIMITS: BucketLimit[] = [
  tokenBucket({ rate: 1, per: "1m", burst: 3 }),
  tokenBucket({ rate: 5, per: "1s", burst: 10 }),
  slidingWindow({ rate: 3, per: "1m" }),
  fixedWindow({ rate: 4, per: "1m" }, "UTC"),
  { algorithm: "concurrency", quota: 2, leaseSeconds: 20 },
];
/** Enforced beside it, and never reached. */
const WIDE = tokenBucket({ rate: 1_000_000, per: "1s", burst: 1_000_000 });

const history = fc.record({
  limit: fc.constantFrom(...LIMITS),
  others: fc.constantFrom(1, 2),
  steps: fc.array(
    fc.record({
      // Bursts and pauses, so that every limit refuses in most histories.
      afterUs: fc.oneof(fc.constant(0), fc.nat({ max: 500_000 }), fc.nat({ max: 20_000_000 })),
      client: fc.nat({ max: 2 }),
      cost: fc.integer({ min: 1, max: 3 }),
    }),
    { minLength: 20, maxLength: 60 },
  ),
});

test("the same traffic in shadow and then enforced is decided alike where no other enforced rule binds", async () => {
  let nowUs = START_US;
  const store = createRedisStore({ redis, testTimeUs: () => nowUs });
  const seen = { allowed: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(history, async ({ limit, others, steps }) => {
      const run = randomBytes(6).toString("hex");
      const isInFlight = limit.algorithm === "concurrency";
      async function play(role: CheckRule["role"]): Promise<boolean[]> {
        nowUs = START_US;
        const passed: boolean[] = [];
        for (const [step, { afterUs, client, cost }] of steps.entries()) {
          nowUs += afterUs;
          const key = `worlds:${run}:${role}:{c${client}}`;
          const watched: CheckRule = {
            ruleId: "watched",
            key: `${key}${isInFlight ? ":f" : ""}`,
            slot: 1,
            role,
            limit,
            cost: isInFlight ? 1 : cost,
          };
          const beside = Array.from({ length: others }, (_, n): CheckRule => {
            return { ruleId: `wide${n}`, key, slot: 2 + n, role: "enforced", limit: WIDE, cost };
          });
          const result = await store.check({ rules: [watched, ...beside], leaseId: `n${step}` });
          if (result.verdict === "unavailable") throw new Error(result.reason);
          const isAllowed = result.perRule[0]?.allowed === true;
          expect(result.verdict).toBe(role === "shadow" || isAllowed ? "allowed" : "refused");
          passed.push(isAllowed);
        }
        return passed;
      }
      const shadow = await play("shadow");
      expect(await play("enforced")).toEqual(shadow);
      for (const isAllowed of shadow) seen[isAllowed ? "allowed" : "refused"] += 1;
    }),
    { numRuns: 60 },
  );
  for (const [what, count] of Object.entries(seen))
    expect([what, count > 50]).toEqual([what, true]);
});
