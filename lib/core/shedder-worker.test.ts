import { describe, expect, test } from "vitest";
import { simulateWorker, type WorkerSecond } from "../testing/simulate-worker";
import { turns } from "../testing/turns";
import { createWorkerShedder, type WorkerLimit } from "./shedder-worker";

const limit: WorkerLimit = { kind: "worker", maxDelayMs: 100 };
const SETTLE = 5;
const totalOf = ({ admitted }: WorkerSecond) =>
  admitted.critical + admitted.normal + admitted.sheddable + admitted.test;

/** Means of five seconds: the second itself swings by the chance of the arrivals. */
function fives(series: readonly number[]): number[] {
  const means: number[] = [];
  for (let i = 0; i + 5 <= series.length; i += 5)
    means.push(series.slice(i, i + 5).reduce((sum, value) => sum + value, 0) / 5);
  return means;
}

describe.each([
  { name: "1.1 times", load: 2.2, seed: 1 },
  { name: "1.5 times", load: 3, seed: 1 },
  { name: "4 times", load: 8, seed: 1 },
  { name: "4 times (other arrivals)", load: 8, seed: 5 },
])("a step from half to $name what the process can do, and back", ({ load, seed }) => {
  const [UP, DOWN] = [10, 70];
  // 2 ms a request: 500 a second.
  const timeline = simulateWorker({
    limit,
    seed,
    seconds: 130,
    costMs: 2,
    shedCostMs: 0.1,
    arrivals: (second) => {
      const now = second >= UP && second < DOWN ? load : 1;
      return { critical: 50, normal: 80 * now, sheddable: 60 * now, test: 60 * now };
    },
  });
  const during = timeline.slice(UP + SETTLE, DOWN);

  test("below the limit nothing is shed, and long after the step nothing is any more", () => {
    for (const { status } of [...timeline.slice(0, UP), ...timeline.slice(-5)])
      expect(status.pressure).toBe(0);
  });

  test("no critical request is refused, and what matters less is refused first", () => {
    const sum = (of: (second: WorkerSecond) => number) =>
      timeline.reduce((total, second) => total + of(second), 0);
    // What still waits at the end was not answered yet.
    expect(sum(({ offered }) => offered.critical)).toBe(sum(({ admitted }) => admitted.critical));
    for (const { status } of timeline) {
      const { normal, sheddable, test } = status.shed;
      expect(sheddable === 0 || test === 1).toBe(true);
      expect(normal === 0 || sheddable === 1).toBe(true);
    }
  });

  test("after it settled the delay stays near what is allowed, and the processor is used", () => {
    for (const { peak } of during) expect(peak).toBeLessThan(2 * limit.maxDelayMs);
    const mean = during.map(totalOf).reduce((sum, rate) => sum + rate, 0) / during.length;
    expect(mean).toBeGreaterThan(0.8 * 500);
  });

  test("it does not swing", () => {
    const rates = fives(during.map(totalOf));
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
    for (const rate of rates) expect(Math.abs(rate / mean - 1)).toBeLessThan(0.1);
    expect(turns(rates, 0.15 * mean)).toBe(0);
    expect(
      turns(
        during.map(({ status }) => status.pressure),
        1,
      ),
    ).toBe(0);
  });

  test("it comes back slowly: a tenth of a class a second at most", () => {
    const back = timeline.slice(DOWN + 3).map(({ status }) => status.pressure);
    for (const [i, pressure] of back.entries()) {
      const before = back[i - 1] ?? pressure;
      expect(pressure).toBeLessThanOrEqual(before);
      expect(before - pressure).toBeLessThan(0.13);
    }
  });
});

test("one block of 120 ms sheds nothing, one of 400 ms does, and is forgotten", () => {
  const refusedAfter = (blockMs: number) => {
    const timeline = simulateWorker({
      limit,
      seconds: 40,
      costMs: 2,
      shedCostMs: 0.1,
      arrivals: () => ({ normal: 200, test: 50 }),
      blockMs: (second) => (second === 3 ? blockMs : 0),
    });
    expect(timeline.at(-1)?.status.pressure).toBe(0);
    const refused = timeline.reduce(
      (sum, { offered, admitted }) => sum + offered.test - admitted.test,
      0,
    );
    return refused;
  };
  expect(refusedAfter(120)).toBe(0);
  expect(refusedAfter(400)).toBeGreaterThan(5);
});

test("a request is shed by chance, by its class's part", () => {
  const shedder = createWorkerShedder(limit);
  shedder.observe(1000, 160);
  const { shed, pressure } = shedder.status();
  expect(pressure).toBeGreaterThan(1);
  expect(pressure).toBeLessThan(2);
  expect(shedder.sheds("test", 0.999)).toBe(true);
  expect(shedder.sheds("sheddable", shed.sheddable - 0.01)).toBe(true);
  expect(shedder.sheds("sheddable", shed.sheddable + 0.01)).toBe(false);
  expect(shedder.sheds("normal", 0)).toBe(false);
});

test("a critical request passes however late the loop is", () => {
  const shedder = createWorkerShedder(limit);
  for (let i = 0; i < 10; i += 1) shedder.observe(5000, 5000);
  expect(shedder.status().pressure).toBe(3);
  expect(shedder.sheds("normal", 0.999)).toBe(true);
  expect(shedder.sheds("critical", 0)).toBe(false);
});
