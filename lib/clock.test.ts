import { expect, test } from "vitest";
import { ManualClock } from "./clock";

test("setting the wall clock back does not move the monotonic clock", () => {
  const clock = new ManualClock(1_000_000);
  clock.advance(500);
  clock.stepWall(-3_600_000);
  expect(clock.monotonicMs()).toBe(500);
  expect(clock.nowMs()).toBe(1_000_500 - 3_600_000);
  expect(() => clock.advance(-1)).toThrow("advance takes 0 or more, got -1");
});
