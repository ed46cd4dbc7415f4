import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BucketState } from "./bucket";
import { slide, slidingFullAtUs, slidingWaitUs, slidingWindow, usedOf } from "./sliding-window";

const PERS = ["1s", "7s", "1m", "1h", "1d", "30d"];
const NOW_US = 1_700_000_000_000_000;

/** A window's state as of now, and a cost that it may hold one day. A lowered limit leaves more used than there is. */
const present = fc
  .record({
    quota: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 4_000_000_000 })),
    per: fc.constantFrom(...PERS),
    used: fc.tuple(fc.double({ min: 0, max: 1.5 }), fc.double({ min: 0, max: 1.5 })),
    cost: fc.double({ min: 0, max: 1 }),
    laterUs: fc.integer({ min: 0, max: 40 * 86_400_000_000 }),
  })
  .filter(({ used, cost }) => !used.some(Number.isNaN) && !Number.isNaN(cost))
  .map(({ quota, per, used, cost, laterUs }) => {
    const window = slidingWindow({ rate: quota, per });
    const nowUs = NOW_US + laterUs;
    const [level, previous] = used.map((share) => Math.floor(share * quota)) as [number, number];
    const timeUs = nowUs - (nowUs % window.periodUs);
    const state: BucketState = { level, timeUs, previous, leases: null };
    return { window, state, nowUs, cost: Math.max(1, Math.floor(cost * quota)) };
  });

function holds(
  of: Parameters<typeof slidingWaitUs>[1],
  state: BucketState,
  atUs: number,
  cost: number,
) {
  return usedOf(slide(state, of, atUs), of, atUs) + cost <= of.quota;
}

describe("who waits", () => {
  test("as long as told has what was asked for, from any state", () => {
    fc.assert(
      fc.property(present, ({ window, state, nowUs, cost }) => {
        const waitUs = slidingWaitUs(state, window, nowUs, cost);
        expect(Number.isSafeInteger(waitUs)).toBe(true);
        expect(waitUs).toBeLessThanOrEqual(2 * window.periodUs);
        expect(holds(window, state, nowUs + waitUs, cost)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test("a millisecond less than told has it not", () => {
    const moderate = present.filter(({ window }) => window.quota <= 1_000_000);
    fc.assert(
      fc.property(moderate, ({ window, state, nowUs, cost }) => {
        const waitUs = slidingWaitUs(state, window, nowUs, cost);
        if (waitUs > 1000) expect(holds(window, state, nowUs + waitUs - 1000, cost)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test("for more than the quota waits for ever", () => {
    fc.assert(
      fc.property(present, ({ window, state, nowUs }) => {
        expect(slidingWaitUs(state, window, nowUs, window.quota + 1)).toBe(
          Number.POSITIVE_INFINITY,
        );
      }),
    );
  });
});

test("nothing counts any more from when a state is said to be forgotten, and something before", () => {
  fc.assert(
    fc.property(present, ({ window, state }) => {
      fc.pre(state.level + state.previous > 0);
      const fullUs = slidingFullAtUs(state, window);
      expect(usedOf(slide(state, window, fullUs), window, fullUs)).toBe(0);
      expect(usedOf(slide(state, window, fullUs - 1), window, fullUs - 1)).toBeGreaterThan(0);
    }),
  );
});

test("what was used never weighs more as time passes", () => {
  fc.assert(
    fc.property(present, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (of, steps) => {
      let { state, nowUs } = of;
      let used = usedOf(state, of.window, nowUs);
      for (const step of steps) {
        nowUs += Math.floor(step * of.window.periodUs);
        state = slide(state, of.window, nowUs);
        const next = usedOf(state, of.window, nowUs);
        expect(next).toBeLessThanOrEqual(used);
        used = next;
      }
    }),
  );
});

test("a clock that is set back keeps what was used", () => {
  const window = slidingWindow({ rate: 10, per: "1m" });
  const state = { level: 3, timeUs: NOW_US - (NOW_US % 60_000_000), previous: 4, leases: null };
  const back = slide(state, window, NOW_US - 3_600_000_000);
  expect(usedOf(back, window, NOW_US - 3_600_000_000)).toBe(7);
});
