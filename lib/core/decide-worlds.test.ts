import fc from "fast-check";
import { expect, test } from "vitest";
import { tokenBucket } from "./bucket";
import type { BucketLimit } from "./bucket-limit";
import type { CheckRule } from "./check";
import { decide, isCurrent } from "./decide";
import { fixedWindow } from "./fixed-window";
import type { StateRecord } from "./record";
import { slidingWindow } from "./sliding-window";

const START_US = 1_700_000_000_000_000;

const LIMITS: BucketLimit[] = [
  tokenBucket({ rate: 1, per: "1m", burst: 3 }),
  tokenBucket({ rate: 5, per: "1s", burst: 10 }),
  slidingWindow({ rate: 3, per: "1m" }),
  fixedWindow({ rate: 4, per: "1m" }, "UTC"),
  { algorithm: "concurrency", quota: 2, leaseSeconds: 20 },
];

/** Six enforced rules, six that only count, of which the last three are candidates of the first three. */
const history = fc.record({
  limits: fc.array(fc.constantFrom(...LIMITS), { minLength: 12, maxLength: 12 }),
  steps: fc.array(
    fc.record({
      afterUs: fc.integer({ min: 0, max: 30_000_000 }),
      enforced: fc.uniqueArray(fc.nat({ max: 5 }), { minLength: 0, maxLength: 4 }),
      counting: fc.uniqueArray(fc.integer({ min: 6, max: 11 }), { minLength: 1, maxLength: 4 }),
      cost: fc.integer({ min: 1, max: 3 }),
    }),
    { minLength: 1, maxLength: 40 },
  ),
});

type States = Map<string, StateRecord[]>;

function ruleOf(index: number, limit: BucketLimit, cost: number): CheckRule {
  const isInFlight = limit.algorithm === "concurrency";
  return {
    ruleId: `r${index >= 9 ? index - 9 : index}`,
    key: isInFlight ? `alone${index}` : `shared${index % 2}`,
    slot: index + 1,
    role: index < 6 ? "enforced" : "shadow",
    limit,
    cost: isInFlight ? 1 : cost,
  };
}

function check(states: States, rules: readonly CheckRule[], nowUs: number, leaseId: string) {
  const { decision, writes } = decide({ rules, records: states, nowUs, source: "local", leaseId });
  for (const { key, records } of writes) states.set(key, records);
  return decision;
}

/** What is kept of these slots, whatever stands beside them. */
function held(states: States, isOf: (slot: number) => boolean, nowUs: number): unknown[] {
  return [...states.values()]
    .flat()
    .filter((record) => isOf(record.slot) && isCurrent(record, nowUs))
    .sort((a, b) => a.slot - b.slot);
}

const isEnforced = (slot: number) => slot <= 6;

test("rules that only count, and candidates, change no answer and no enforced bucket", () => {
  const seen = { refused: 0, wouldBe: 0, candidates: 0 };
  fc.assert(
    fc.property(history, ({ limits, steps }) => {
      const alone: States = new Map();
      const beside: States = new Map();
      let nowUs = START_US;
      for (const [step, { afterUs, enforced, counting, cost }] of steps.entries()) {
        nowUs += afterUs;
        const rules = (indexes: readonly number[]) =>
          indexes.map((index) => ruleOf(index, limits[index] as BucketLimit, cost));
        const without = check(alone, rules(enforced), nowUs, `n${step}`);
        const mixed = [...counting, ...enforced].sort((a, b) => ((a * 5) % 12) - ((b * 5) % 12));
        const withThem = check(beside, rules(mixed), nowUs, `n${step}`);
        expect(withThem.verdict).toBe(without.verdict);
        expect(withThem.binding).toEqual(without.binding);
        expect(held(beside, isEnforced, nowUs)).toEqual(held(alone, isEnforced, nowUs));
        if (without.verdict === "refused") seen.refused += 1;
        for (const { role, allowed, charged } of withThem.perRule) {
          if (role !== "shadow") continue;
          if (!allowed) seen.wouldBe += 1;
          if (charged && without.verdict === "refused") seen.candidates += 1;
        }
      }
    }),
    { numRuns: 300 },
  );
  for (const [what, count] of Object.entries(seen))
    expect([what, count > 20]).toEqual([what, true]);
});

test("a refused check leaves every enforced bucket as it was", () => {
  let refused = 0;
  fc.assert(
    fc.property(history, ({ limits, steps }) => {
      const states: States = new Map();
      let nowUs = START_US;
      for (const [step, { afterUs, enforced, counting, cost }] of steps.entries()) {
        nowUs += afterUs;
        const rules = [...enforced, ...counting].map((index) =>
          ruleOf(index, limits[index] as BucketLimit, cost),
        );
        const before = held(states, isEnforced, nowUs);
        const { verdict } = check(states, rules, nowUs, `n${step}`);
        if (verdict === "allowed") continue;
        refused += 1;
        expect(held(states, isEnforced, nowUs)).toEqual(before);
      }
    }),
    { numRuns: 300 },
  );
  expect(refused).toBeGreaterThan(100);
});

test("a shadow rule counts as if it alone had joined the enforced ones", () => {
  let charged = 0;
  fc.assert(
    fc.property(history, fc.integer({ min: 6, max: 8 }), ({ limits, steps }, watched) => {
      const shadow: States = new Map();
      const joined: States = new Map();
      let nowUs = START_US;
      for (const [step, { afterUs, cost }] of steps.entries()) {
        nowUs += afterUs;
        const rule = ruleOf(watched, limits[watched] as BucketLimit, cost);
        // Alone, so that what it refuses keeps nothing of another rule's.
        const counted = check(shadow, [rule], nowUs, `n${step}`);
        const decided = check(joined, [{ ...rule, role: "enforced" }], nowUs, `n${step}`);
        expect(counted.perRule[0]?.allowed).toBe(decided.verdict === "allowed");
        expect(held(shadow, () => true, nowUs)).toEqual(held(joined, () => true, nowUs));
        if (decided.verdict === "allowed") charged += 1;
      }
    }),
    { numRuns: 200 },
  );
  expect(charged).toBeGreaterThan(100);
});
