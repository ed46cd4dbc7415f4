import { describe, expect, test } from "vitest";
import { ManualClock } from "../clock";
import { createFloodGuard } from "./flood-guard";

function started(followedMax?: number) {
  const clock = new ManualClock();
  const guard = createFloodGuard(followedMax === undefined ? { clock } : { clock, followedMax });
  const admitted = (address: string, perSecond: number, count: number) =>
    Array.from({ length: count }, () => guard.admit(address, perSecond)).filter(Boolean).length;
  return { clock, admitted };
}

describe("requests a second of one address", () => {
  test("as many as the entry says at once, each address for itself", () => {
    const { admitted } = started();
    expect(admitted("ip:198.51.100.7", 5, 20)).toBe(5);
    expect(admitted("ip:198.51.100.8", 5, 20)).toBe(5);
    expect(admitted("ip:198.51.100.7", 5, 20)).toBe(0);
  });

  test("over ten seconds no more than that many a second and one burst, whatever the second's edges", () => {
    const { clock, admitted } = started();
    clock.advance(990);
    let sum = 0;
    for (let i = 0; i < 1000; i += 1) {
      sum += admitted("ip:198.51.100.7", 5, 3);
      clock.advance(10);
    }
    expect(sum).toBeGreaterThanOrEqual(50);
    expect(sum).toBeLessThanOrEqual(55);
  });

  test.each([1, 7, 1000])("who was refused and waits a second is served: %i a second", (rate) => {
    const { clock, admitted } = started();
    for (let round = 0; round < 50; round += 1) {
      clock.advance(round * 13.7);
      admitted("ip:198.51.100.7", rate, rate * 3);
      expect(admitted("ip:198.51.100.7", rate, 1)).toBe(0);
      clock.advance(1000);
      expect(admitted("ip:198.51.100.7", rate, 1)).toBe(1);
    }
  });

  test("a refused request spends nothing", () => {
    const { clock, admitted } = started();
    admitted("ip:198.51.100.7", 2, 2);
    for (let i = 0; i < 5; i += 1) {
      clock.advance(99);
      expect(admitted("ip:198.51.100.7", 2, 1)).toBe(0);
    }
    clock.advance(5.5);
    expect(admitted("ip:198.51.100.7", 2, 1)).toBe(1);
  });

  test("a wall clock set back or on changes nothing", () => {
    const { clock, admitted } = started();
    expect(admitted("ip:198.51.100.7", 5, 9)).toBe(5);
    clock.stepWall(-3_600_000);
    expect(admitted("ip:198.51.100.7", 5, 9)).toBe(0);
    clock.stepWall(7_200_000);
    expect(admitted("ip:198.51.100.7", 5, 9)).toBe(0);
  });

  test("a lowered entry holds at once, a raised one gives no second burst", () => {
    const { clock, admitted } = started();
    admitted("ip:198.51.100.7", 100, 1);
    expect(admitted("ip:198.51.100.7", 5, 20)).toBe(5);
    expect(admitted("ip:198.51.100.7", 100, 20)).toBe(0);
    clock.advance(100);
    expect(admitted("ip:198.51.100.7", 100, 20)).toBe(10);
  });
});

test("no more addresses than its bound are followed, the others pass, and a second later there is room", () => {
  const { clock, admitted } = started(2);
  expect(admitted("ip:198.51.100.1", 1, 3)).toBe(1);
  expect(admitted("ip:198.51.100.2", 1, 3)).toBe(1);
  expect(admitted("ip:198.51.100.3", 1, 3)).toBe(3);
  clock.advance(1000);
  expect(admitted("ip:198.51.100.3", 1, 3)).toBe(1);
  // The last second's buckets go on.
  expect(admitted("ip:198.51.100.2", 1, 3)).toBe(1);
});
