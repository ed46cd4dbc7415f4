import { expect, test } from "vitest";
import { limitScale, positionOf, rateAt, SCALE_STEPS } from "./limit-scale";

test("the slider goes from 1 to beyond the limit and all that was asked, never backwards", () => {
  for (const [rate, peak] of [
    [60, 900],
    [1, 1],
    [5_000, 20],
    [1_000_000_000, 1],
  ] as const) {
    const { max } = limitScale({ rate, peak });
    expect(max).toBeGreaterThanOrEqual(Math.min(1_000_000_000, Math.max(4 * rate, 2 * peak)));
    const rates = Array.from({ length: SCALE_STEPS + 1 }, (_, at) => rateAt(at, max));
    expect(rates[0]).toBe(1);
    expect(rates.at(-1)).toBe(max);
    expect(rates.toSorted((a, b) => a - b)).toEqual(rates);
    const at = positionOf(rate, max);
    expect(Math.abs(rateAt(at, max) - rate)).toBeLessThanOrEqual(Math.max(1, rate * 0.06));
  }
});
