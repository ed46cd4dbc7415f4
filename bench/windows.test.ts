import { expect, test } from "vitest";
import { fixedWindow } from "@/lib/core/fixed-window";
import { slidingWindow } from "@/lib/core/sliding-window";
import { seeded } from "@/lib/testing/random";
import { windowError } from "./window-error";
import { floodTrace, webTrace } from "./window-trace";

// The traces of `npm run bench -- windows`, smaller and over longer windows.
const PER = { per: "10m", periodUs: 600_000_000 };
const SHAPE = { clients: 1000, requests: 100_000, seconds: 5 * 3600 };

function errorsAt(quota: number, trace: readonly (readonly number[])[]) {
  const exact = { quota, periodUs: PER.periodUs };
  const amount = { rate: quota, per: PER.per };
  return {
    sliding: windowError(trace, slidingWindow(amount), exact),
    fixed: windowError(trace, fixedWindow(amount, "UTC"), exact),
  };
}

test("two counters are wrong ten times less often than a fixed window", () => {
  const trace = [...webTrace({ ...SHAPE, random: seeded(1) })];
  const { sliding, fixed } = errorsAt(100, trace);
  expect(sliding.requests).toBeGreaterThan(90_000);
  expect(sliding.rejected / sliding.requests).toBeGreaterThan(0.01);
  expect(sliding.rejected / sliding.requests).toBeLessThan(0.2);
  expect(sliding.wrong).toBeGreaterThan(0);
  expect(fixed.wrong / sliding.wrong).toBeGreaterThanOrEqual(10);
});

test("where only floods come near the limit, two counters are hardly ever wrong", () => {
  const random = seeded(5);
  const trace = [
    ...webTrace({ ...SHAPE, random }),
    ...floodTrace({ clients: 1, perSecond: [100, 120], seconds: SHAPE.seconds, random }),
  ];
  const { sliding, fixed } = errorsAt(2000, trace);
  expect(sliding.near).toBe(1);
  expect(sliding.rejected).toBeGreaterThan(500);
  expect(sliding.wrong / sliding.requests).toBeLessThanOrEqual(0.00003);
  expect(fixed.rejected).toBe(sliding.rejected);
});
