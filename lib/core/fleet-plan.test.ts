import fc from "fast-check";
import { expect, test } from "vitest";
import { planFleet } from "./fleet-plan";
import { NO_DEMAND, type PriorityRates } from "./priority";

const limit = { capacity: 1000, reserve: 20 };
const demand = (rates: Partial<PriorityRates>): PriorityRates => ({ ...NO_DEMAND, ...rates });

test("what is not critical may use the capacity without its reserve, and never what critical demand takes", () => {
  const allowed = (critical: number) =>
    planFleet(limit, NO_DEMAND, [demand({ critical }), NO_DEMAND]).allowed;
  expect([0, 200, 201, 600, 1000, 5000].map(allowed)).toEqual([800, 800, 799, 400, 0, 0]);
});

test("classes are served in order, each gateway by its part of the demand", () => {
  const a = demand({ normal: 300, test: 600 });
  const b = demand({ normal: 100, sheddable: 200 });
  const plans = [a, b].map((own) => planFleet(limit, own, [a, b]));
  // 416 for normal, 208 for sheddable, the rest for test.
  expect(plans.map(({ allotment }) => Math.round(allotment))).toEqual([312 + 176, 104 + 208]);
  expect(plans[0]?.shed).toEqual({ normal: 0, sheddable: 0, test: 1 - 176 / 600 });
});

test("a class that does not fit leaves nothing to those below it", () => {
  const a = demand({ normal: 1600, sheddable: 10, test: 10 });
  expect(planFleet(limit, a, [a])).toEqual({
    allowed: 800,
    allotment: 800,
    shed: { normal: 0.5, sheddable: 1, test: 1 },
  });
});

test("the parts of all gateways add up to what is allowed, whatever the demand", () => {
  const rate = fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 1e6, noNaN: true }));
  const rates = fc.record({ critical: rate, normal: rate, sheddable: rate, test: rate });
  const capacity = fc.record({
    capacity: fc.integer({ min: 1, max: 1e9 }),
    reserve: fc.integer({ min: 0, max: 100 }),
  });
  fc.assert(
    fc.property(capacity, fc.array(rates, { minLength: 1, maxLength: 8 }), (limits, all) => {
      const plans = all.map((own) => planFleet(limits, own, all));
      const sum = plans.reduce((total, { allotment }) => total + allotment, 0);
      const allowed = plans[0]?.allowed ?? 0;
      expect(Math.abs(sum - allowed)).toBeLessThanOrEqual(1e-6 * Math.max(1, allowed));
    }),
  );
});
