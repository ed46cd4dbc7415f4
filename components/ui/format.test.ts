import { describe, expect, it } from "vitest";
import { formatAge, formatCompact, formatMs, formatPlural, formatShare, formatUtc } from "./format";

describe("a share never reads as none or all when it is neither", () => {
  it.each([
    [0, "0%"],
    [0.000001, "<0.01%"],
    [0.0042, "0.42%"],
    [0.0537, "5.4%"],
    [0.42, "42%"],
    [0.995, "99.5%"],
    [0.9996, "99.96%"],
    [0.99999, ">99.99%"],
    [1, "100%"],
  ])("%f is %s", (share, text) => expect(formatShare(share)).toBe(text));
});

describe("an age uses one whole unit and says which side of now it is on", () => {
  const now = Date.UTC(2026, 10, 29, 2, 51, 7);
  it.each([
    [0, "just now"],
    [41, "41 s ago"],
    [59, "59 s ago"],
    [60, "1 min ago"],
    [3599, "59 min ago"],
    [7200, "2 h ago"],
    [200_000, "2 d ago"],
    [-90, "in 1 min"],
  ])("%i seconds is %s", (seconds, text) => {
    expect(formatAge(now - seconds * 1000, now)).toBe(text);
  });
});

describe("a time always says that it is UTC", () => {
  const date = new Date("2026-11-29T02:51:07.900Z");
  it.each([
    ["datetime", "2026-11-29 02:51:07 UTC"],
    ["minute", "2026-11-29 02:51 UTC"],
    ["time", "02:51:07 UTC"],
  ] as const)("%s is %s", (format, text) => expect(formatUtc(date, format)).toBe(text));
});

describe("a duration never shows sixty of a unit", () => {
  it.each([
    [840, "840 ms"],
    [999.7, "1.0 s"],
    [3100, "3.1 s"],
    [9960, "10 s"],
    [59_999, "1 min"],
    [125_000, "2 min 5 s"],
    [3_599_900, "1 h"],
    [3_780_000, "1 h 3 min"],
    [90_000_000, "1 d 1 h"],
  ])("%i ms is %s", (ms, text) => expect(formatMs(ms)).toBe(text));
});

it("counts are grouped, and shortened only when long", () => {
  expect(formatPlural(1, "rule")).toBe("1 rule");
  expect(formatPlural(1000, "rule")).toBe("1,000 rules");
  expect(formatCompact(9999)).toBe("9,999");
  expect(formatCompact(1_234_567)).toBe("1.23M");
});
