import { describe, expect, test } from "vitest";
import { durationSeconds, durationText, durationWords } from "./duration";

describe("durationSeconds", () => {
  test.each([
    ["1s", 1],
    ["90s", 90],
    ["1m", 60],
    ["1h", 3600],
    ["30d", 2_592_000],
  ])("%s is %d seconds", (text, seconds) => {
    expect(durationSeconds(text)).toBe(seconds);
  });

  test.each(["", "0s", "-1s", "1.5h", "1:30", "1 m", "m", "60", "1mo", "1M", "１m", "999999999s"])(
    "%j is no duration",
    (text) => {
      expect(durationSeconds(text)).toBeNull();
    },
  );
});

test("a duration says itself in the largest unit that divides it", () => {
  expect([1, 60, 90, 3600, 86_400, 90_000].map(durationWords)).toEqual([
    "1s",
    "1m",
    "90s",
    "1h",
    "1d",
    "25h",
  ]);
});

test("a refused duration names what was received and the most allowed", () => {
  const per = durationText("per", 3600);
  expect(per.safeParse("2h").error?.issues[0]?.message).toBe('per must be at most 1h, got "2h"');
  expect(per.safeParse(60).error?.issues[0]?.message).toBe(
    "per must be a duration such as 90s, 1m, 1h or 1d, got 60",
  );
});
