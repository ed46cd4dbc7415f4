import { expect, test } from "vitest";
import { gapChanges } from "./sequence-gaps";

const row = (sequence: number, minute = 100) => ({ sequence, minute });

test.each([
  ["the first batch of a boot leaves no gap", [], [row(1)], {}],
  ["what follows without a gap leaves none", [row(7)], [row(8), row(9)], {}],
  ["a boot first seen at 5 misses four", [], [row(5)], { 100: 4 }],
  ["a jump is missing in the minute of the batch behind it", [row(7)], [row(10, 101)], { 101: 2 }],
  [
    "gaps inside what was added count too",
    [row(1)],
    [row(2), row(5), row(9, 102)],
    { 100: 2, 102: 3 },
  ],
  ["a late batch takes its own gap back", [row(1), row(3, 101)], [row(2)], { 101: -1 }],
  ["a late batch splits a gap", [row(1), row(10, 103)], [row(5, 101)], { 101: 3, 103: -4 }],
  ["order of arrival does not matter", [row(4)], [row(9, 101), row(5), row(7)], { 100: 1, 101: 1 }],
])("%s", (_, existing, added, expected) => {
  expect(Object.fromEntries(gapChanges({ existing, added }))).toEqual(expected);
});

test("whatever the order, the sum is what is missing in the end", () => {
  const arrivals = [3, 9, 1, 4, 8, 15, 12, 2, 14].map((sequence) => row(sequence, 100 + sequence));
  const stored: ReturnType<typeof row>[] = [];
  let missing = 0;
  for (const added of arrivals) {
    const below = stored
      .filter((r) => r.sequence < added.sequence)
      .toSorted((a, b) => b.sequence - a.sequence);
    const above = stored
      .filter((r) => r.sequence > added.sequence)
      .toSorted((a, b) => a.sequence - b.sequence);
    const existing = [...below.slice(0, 1), ...above.slice(0, 1)];
    for (const change of gapChanges({ existing, added: [added] }).values()) missing += change;
    stored.push(added);
  }
  expect(missing).toBe(15 - arrivals.length);
});
