import { expect, test } from "vitest";
import { rangeSince, timeRange } from "./time-range";

const NOW = Date.parse("2026-01-31T12:00:00Z");
const MINUTE = 60_000;

test.each([
  [0, "15m"],
  [15, "15m"],
  [16, "1h"],
  [60, "1h"],
  [61, "24h"],
  [90_000, "24h"],
])("data that began %d min ago is shown over %s", (minutes, expected) => {
  expect(rangeSince(NOW - minutes * MINUTE, NOW)).toBe(expected);
});

test("an address that names a range is obeyed, whatever would be chosen", () => {
  expect(timeRange({ range: "7d" }, NOW, "15m")).toMatchObject({ name: "7d" });
  expect(timeRange({ from: "2026-01-01T00:00:00Z" }, NOW, "15m").kind).toBe("custom");
  expect(timeRange({ range: "forever" }, NOW, "15m")).toMatchObject({ name: "15m" });
  expect(timeRange({}, NOW)).toMatchObject({ name: "24h" });
});
