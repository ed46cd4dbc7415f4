import { expect, test } from "vitest";
import { createBreaker } from "./breaker";

test("it opens at the fifth failure in a row, not before", () => {
  const breaker = createBreaker();
  const opened = [1, 2, 3, 4, 5].map(() => breaker.failed());
  expect(opened).toEqual([false, false, false, false, true]);
  expect(breaker.isOpen).toBe(true);
  expect(breaker.failed()).toBe(false);
});

test.each([
  [100, false],
  [10, false],
  [6, false],
  [3, true],
  [2, true],
])("one failure in %d checks, for long: open %s", (every, isOpen) => {
  const breaker = createBreaker();
  for (let i = 1; i <= 1000; i += 1) {
    if (i % every === 0) breaker.failed();
    else breaker.succeeded();
  }
  expect(breaker.isOpen).toBe(isOpen);
});

test("a lost connection opens it at once, said once", () => {
  const breaker = createBreaker();
  expect([breaker.open(), breaker.open()]).toEqual([true, false]);
});

test("successes of checks that were under way do not close it, a probe does, and old failures are forgotten", () => {
  const breaker = createBreaker();
  breaker.open();
  for (let i = 0; i < 100; i += 1) breaker.succeeded();
  expect(breaker.isOpen).toBe(true);
  breaker.close();
  expect(breaker.isOpen).toBe(false);
  expect([1, 2, 3, 4].some(() => breaker.failed())).toBe(false);
});

test("probes come further apart, up to a second, each gateway at its own time", () => {
  const early = createBreaker(() => 0);
  const late = createBreaker(() => 1);
  const five = [1, 2, 3, 4, 5, 6];
  expect(five.map(() => early.nextProbeMs())).toEqual([50, 100, 200, 400, 500, 500]);
  expect(five.map(() => late.nextProbeMs())).toEqual([100, 200, 400, 800, 1000, 1000]);
  late.close();
  expect(late.nextProbeMs()).toBe(100);
});
