import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareAmounts } from "./amount-compare";
import { type Amount, AmountSchema } from "./limit";

describe("two amounts in words", () => {
  test.each<[Amount | null, Amount | null, string, number]>([
    [{ rate: 60, per: "1m" }, { rate: 3600, per: "1h" }, "looser: 60 times more in one window", 60],
    [
      { rate: 3600, per: "1h" },
      { rate: 60, per: "1m" },
      "stricter: 60 times fewer in one window",
      60,
    ],
    [{ rate: 60, per: "1m" }, { rate: 60, per: "1s" }, "looser: 60 times looser", 60],
    [{ rate: 60, per: "1m" }, { rate: 6, per: "1m" }, "stricter: 10 times stricter", 10],
    [
      { rate: 60, per: "1m" },
      { rate: 100, per: "1h" },
      "mixed: rate 36 times stricter, 1.67 times more in one window",
      36,
    ],
    [
      { rate: 10_000, per: "1d" },
      { rate: 304_369, per: "1mo" },
      "mixed: rate slightly looser, 30 times more in one window, in windows that do not nest (1mo taken as 30.44 days)",
      30.4369,
    ],
    [
      { rate: 10_000, per: "1d" },
      { rate: 310_000, per: "1mo" },
      "looser: 1.02 times looser, 31 times more in one window (1mo taken as 30.44 days)",
      31,
    ],
    [{ rate: 1, per: "12mo" }, { rate: 1, per: "1mo" }, "looser: 12 times looser", 12],
    [{ rate: 9, per: "24h" }, { rate: 9, per: "1d" }, "same: the same amount", 1],
    [{ concurrent: 20 }, { concurrent: 1 }, "stricter: 20 times stricter", 20],
    [{ concurrent: 20 }, null, "looser: no longer limited", Infinity],
    ["unlimited", { concurrent: 20 }, "stricter: not limited before", Infinity],
    ["unlimited", null, "same: the same amount", 1],
    [
      { rate: 60, per: "1m", burst: 60 },
      { rate: 60, per: "1m" },
      "mixed: another kind of limit, not comparable",
      1,
    ],
    [
      { rate: 4_000_000_000, per: "1mo" },
      { rate: 3_999_999_999, per: "1mo" },
      "stricter: slightly stricter",
      4_000_000_000 / 3_999_999_999,
    ],
  ])("%j → %j", (before, after, expected, times) => {
    const { direction, words, factor } = compareAmounts(before, after);
    expect(`${direction}: ${words}`).toBe(expected);
    expect(factor).toBeCloseTo(times, 9);
  });
});

const per = fc.constantFrom("1s", "7s", "60s", "1m", "90s", "1h", "7h", "1d", "24h", "30d");
const months = fc.constantFrom("1mo", "3mo", "12mo", "366d");
const window = fc.record({
  rate: fc.integer({ min: 1, max: 4_000_000_000 }),
  per: fc.oneof(per, months),
});
const amount: fc.Arbitrary<Amount> = fc.oneof(
  fc.constant("unlimited" as const),
  window,
  fc.record({ rate: fc.integer({ min: 1, max: 3 }), per: fc.oneof(per, months) }),
  fc.record({ concurrent: fc.integer({ min: 1, max: 1_000_000 }) }),
  fc.record({
    rate: fc.integer({ min: 1, max: 1_000_000_000 }),
    per,
    burst: fc.integer({ min: 1, max: 1_000_000 }),
  }),
);
const BACK = { same: "same", mixed: "mixed", stricter: "looser", looser: "stricter" };

test("seen from the other side a comparison is the other way round, and an amount is the same as itself", () => {
  fc.assert(
    fc.property(amount, amount, (a, b) => {
      const there = compareAmounts(a, b);
      const back = compareAmounts(b, a);
      expect(back.direction).toBe(BACK[there.direction]);
      expect(back.factor).toBeCloseTo(there.factor, 9);
      expect(there.factor).toBeGreaterThanOrEqual(1);
      expect(compareAmounts(a, structuredClone(a)).direction).toBe("same");
    }),
    { numRuns: 3000 },
  );
});

test("what is looser than the looser is looser", () => {
  const isLooser = (a: Amount, b: Amount) =>
    ["looser", "same"].includes(compareAmounts(a, b).direction);
  const few = fc.record({ rate: fc.integer({ min: 1, max: 200 }), per: fc.oneof(per, months) });
  fc.assert(
    fc.property(few, few, few, (a, b, c) => {
      fc.pre(isLooser(a, b) && isLooser(b, c));
      expect(isLooser(a, c)).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test("the arbitrary amounts are amounts", () => {
  for (const each of fc.sample(window, 100)) expect(AmountSchema.parse(each)).toEqual(each);
});
