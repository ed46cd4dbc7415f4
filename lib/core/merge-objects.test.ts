import { expect, test } from "vitest";
import { mergeObjects } from "./merge-objects";

const base = { name: "A", limit: { rate: 1, per: "1m" }, routes: ["/a"], note: "x" };

test.each([
  ["one side alone", { ...base, name: "B" }, base, { ...base, name: "B" }],
  [
    "different fields, also deep ones",
    { ...base, limit: { ...base.limit, rate: 2 } },
    { ...base, name: "B", limit: { ...base.limit, per: "1h" } },
    { ...base, name: "B", limit: { rate: 2, per: "1h" } },
  ],
  ["the same change", { ...base, name: "B" }, { ...base, name: "B" }, { ...base, name: "B" }],
  [
    "a field added here, one removed there",
    { ...base, extra: 1 },
    { name: "A", limit: base.limit, routes: ["/a"] },
    { name: "A", limit: base.limit, routes: ["/a"], extra: 1 },
  ],
])("%s merges", (_, mine, theirs, merged) => {
  expect(mergeObjects(base, mine, theirs)).toEqual({ ok: true, merged });
  expect(mergeObjects(base, theirs, mine)).toEqual({ ok: true, merged });
});

test.each([
  ["one field to two ends", { ...base, name: "B" }, { ...base, name: "C" }, ["name"]],
  ["a list changed twice", { ...base, routes: [] }, { ...base, routes: ["/b"] }, ["routes"]],
  ["an object deleted and changed", null, { ...base, name: "B" }, [""]],
])("%s does not, and says where", (_, mine, theirs, paths) => {
  expect(mergeObjects(base, mine, theirs)).toEqual({ ok: false, paths });
});
