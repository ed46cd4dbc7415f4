import { expect, test } from "vitest";
import { valueAt, withValueAt } from "./object-path";

const rule = { id: "a", limit: { perPlan: { free: "unlimited" } }, meta: { owner: ["x"] } };

test("a value is put without touching what stands beside it", () => {
  const next = withValueAt(rule, ["limit", "perPlan", "free"], { rate: 1 });
  expect(next).toEqual({ ...rule, limit: { perPlan: { free: { rate: 1 } } } });
  expect(valueAt(next, ["meta"])).toBe(rule.meta);
  expect(Object.keys(Object(next))).toEqual(["id", "limit", "meta"]);
});

test("what was not there is made on the way", () => {
  expect(withValueAt({}, ["match", "authenticated"], true)).toEqual({
    match: { authenticated: true },
  });
});

test("undefined takes a key away, and an absent one stays absent", () => {
  expect(withValueAt(rule, ["limit", "perPlan", "free"], undefined)).toEqual({
    ...rule,
    limit: { perPlan: {} },
  });
  expect(valueAt(rule, ["limit", "perPlan", "constructor"])).toBeUndefined();
});

test("an item of a list is replaced in its place", () => {
  expect(withValueAt({ routes: ["/a", "/b"] }, ["routes", 1], "/c")).toEqual({
    routes: ["/a", "/c"],
  });
});
