import fc from "fast-check";
import { expect, test } from "vitest";
import type { BucketLimit } from "@/lib/core/bucket-limit";
import type { CheckRule } from "@/lib/core/check";
import { type Arrival, arrivals, checkRules, LIMITS, Totals } from "@/lib/testing/shadow-totals";
import { createMemoryStore } from "./memory-store";
import { START_US } from "./store-contract-suite";

const RUNS = 15;

type Rules = { limit: BucketLimit; others: readonly BucketLimit[] };

function play(traffic: readonly Arrival[], role: CheckRule["role"], rules: Rules): Totals {
  let nowUs = START_US;
  const clock = { nowMs: () => 0, monotonicMs: () => nowUs / 1000 };
  const store = createMemoryStore({ clock, nowUs: () => nowUs });
  const totals = new Totals();
  for (const { atUs, client } of traffic) {
    nowUs = START_US + atUs;
    totals.count(client, store.checkNow({ rules: checkRules("r", client, { role, ...rules }) }));
  }
  return totals;
}

const traffic = fc
  .record({
    seed: fc.nat(),
    burst: fc.integer({ min: 3, max: 30 }),
    seconds: fc.constantFrom(600, 1_800),
  })
  .map((shape) => arrivals({ ...shape, clients: 100, requests: 5_000 }));

/** One to be watched and one or two to be enforced beside it. */
const chosen = fc
  .uniqueArray(fc.nat({ max: LIMITS.length - 1 }), { minLength: 2, maxLength: 3 })
  .map((indexes) => [...indexes].sort((a, b) => a - b).flatMap((index) => LIMITS[index] ?? []));

test("in shadow and then enforced, beside rules that forget sooner, total rejections agree within 1 %", () => {
  const seen = { two: 0, three: 0, refused: 0, newly: 0 };
  fc.assert(
    fc.property(traffic, chosen, (requests, limits) => {
      const [watched, ...others] = limits.map(({ limit }) => limit).reverse();
      if (watched === undefined) return;
      const shadow = play(requests, "shadow", { limit: watched, others });
      const enforced = play(requests, "enforced", { limit: watched, others });
      expect(Math.abs(shadow.all - enforced.all)).toBeLessThanOrEqual(0.01 * enforced.all + 1);
      seen[others.length === 1 ? "two" : "three"] += 1;
      seen.refused += shadow.refused;
      seen.newly += shadow.newly;
    }),
    { numRuns: RUNS },
  );
  expect(Math.min(seen.two, seen.three)).toBeGreaterThan(0);
  expect(Math.min(seen.refused, seen.newly)).toBeGreaterThan(500);
}, 30_000);

test("beside rules that remember longer shadow never says too little, and too much only of what both refuse", () => {
  fc.assert(
    fc.property(traffic, chosen, (requests, limits) => {
      const [watched, ...others] = limits.map(({ limit }) => limit);
      if (watched === undefined) return;
      const shadow = play(requests, "shadow", { limit: watched, others });
      const enforced = play(requests, "enforced", { limit: watched, others });
      const tooMuch = shadow.all - enforced.all;
      expect(tooMuch).toBeGreaterThanOrEqual(-0.001 * requests.length);
      expect(tooMuch).toBeLessThanOrEqual(shadow.disputed);
    }),
    { numRuns: RUNS },
  );
  // An hour's tokens go to requests that the watched rule, once enforced, keeps from asking for them.
  const requests = arrivals({ seed: 1, clients: 100, requests: 20_000, seconds: 7_200, burst: 8 });
  const [short, long] = [LIMITS[2], LIMITS[5]].map((one) => one?.limit) as [
    BucketLimit,
    BucketLimit,
  ];
  const shadow = play(requests, "shadow", { limit: short, others: [long] });
  const enforced = play(requests, "enforced", { limit: short, others: [long] });
  expect(shadow.all).toBeGreaterThan(1.03 * enforced.all);
}, 30_000);
