import { expect, test } from "vitest";
import type { RuleRow } from "@/lib/core/api/rules";
import { againstYesterday, DEFAULT_RULE_SORT, parseRuleSort, sortRules } from "./sort-rules";

function row(id: string, part: Partial<RuleRow> = {}, now = 0): RuleRow {
  return {
    id,
    name: id,
    mode: "enforce",
    revision: 1,
    sentence: "",
    countBy: ["client"],
    hits: {
      mode: "enforce",
      perMinuteNow: now,
      lastHour: 0,
      requestsLastHour: 0,
      sparkline: [],
      yesterday: null,
    },
    sinceVersion: 1,
    changedAt: "2026-01-01T00:00:00.000Z",
    changedBy: { type: "system", id: "headgate", name: "Headgate" },
    hasDraft: false,
    candidateShare: null,
    ...part,
  };
}

const ids = (rows: RuleRow[]) => rows.map(({ id }) => id);

test("what rejects most now comes first, a rule that is off last, equals by mode and id", () => {
  const rows = [
    row("b"),
    row("off", { mode: "off" }, 900),
    row("a"),
    row("busy", {}, 12),
    row("shadow", { mode: "shadow" }),
  ];
  expect(ids(sortRules(rows, DEFAULT_RULE_SORT))).toEqual(["busy", "a", "b", "shadow", "off"]);
});

test("one real rejection comes before a thousand would-be ones, which come before none", () => {
  const rows = [
    row("calm"),
    row("shadow", { mode: "shadow" }, 1000),
    row("one", {}, 1),
    row("two", {}, 2),
  ];
  expect(ids(sortRules(rows, DEFAULT_RULE_SORT))).toEqual(["two", "one", "shadow", "calm"]);
});

test("infinitely more than yesterday is no different from itself", () => {
  const infinite = { ...row("x").hits, yesterday: 0, lastHour: 5 };
  const rows = [row("b", { hits: infinite }), row("a", { hits: infinite }), row("c")];
  expect(ids(sortRules(rows, { by: "change", isDescending: true }))).toEqual(["a", "b", "c"]);
});

test.each([
  [0, 0, 1],
  [5, 0, Number.POSITIVE_INFINITY],
  [5, 10, 0.5],
  [5, null, null],
])("%d now against %s is %s", (lastHour, yesterday, expected) => {
  expect(againstYesterday({ ...row("x").hits, lastHour, yesterday })).toBe(expected);
});

test.each([
  ["name.asc", { by: "name", isDescending: false }],
  ["name", DEFAULT_RULE_SORT],
  ["constructor.desc", DEFAULT_RULE_SORT],
  [undefined, DEFAULT_RULE_SORT],
])("%s in an address is read", (text, sort) => {
  expect(parseRuleSort(text)).toEqual(sort);
});
