import { expect, test } from "vitest";
import { isStopped, readStoppedRules } from "./stop-enforcing";

test.each([
  ["", ["all"], []],
  ["# at night\n\n", ["all"], []],
  ["ALL\r\n", ["all"], []],
  ["links, per-key-rate\n_deny # a bad range", ["_deny", "links", "per-key-rate"], []],
  ["\uFEFFlinks links", ["links"], []],
  ["Links!", [], ["Links!"]],
])("%j stops %j", (text, rules, wrong) => {
  expect(readStoppedRules(text)).toEqual({ rules, wrong });
});

test("all is every rule, and no list", () => {
  expect(isStopped(["all"], "links")).toBe(true);
  expect(isStopped(["all"], "_deny")).toBe(false);
  expect(isStopped(["all", "_deny"], "_deny")).toBe(true);
  expect(isStopped(["links"], "other")).toBe(false);
  expect(isStopped([], "links")).toBe(false);
});
