import { expect, it } from "vitest";
import type { ObjectChange } from "@/lib/core/api/change";
import { effectOf, splitChanges } from "./split-changes";

function change(id: string, before: unknown, after: unknown, loud = false): ObjectChange {
  return {
    kind: "rule",
    id,
    name: id,
    op: before === null ? "added" : after === null ? "removed" : "changed",
    sentence: "",
    loud,
    countersRestart: false,
    before,
    after,
    diff: [],
  };
}

it("a rule that comes back enforced counts as turned on, one that goes as turned off", () => {
  const effect = effectOf([
    change("added", null, { mode: "enforce" }),
    change("promoted", { mode: "shadow" }, { mode: "enforce" }),
    change("removed", { mode: "enforce" }, null),
    change("watched", { mode: "off" }, { mode: "shadow" }),
    change("same", { mode: "enforce" }, { mode: "enforce" }),
  ]);
  expect(effect.turnsOn.map(({ id }) => id)).toEqual(["added", "promoted"]);
  expect(effect.turnsOff.map(({ id }) => id)).toEqual(["removed"]);
  expect(effect.others.map(({ id }) => id)).toEqual(["watched"]);
});

it("loud changes come first and nothing is left out", () => {
  const sorted = splitChanges([
    change("a", {}, {}),
    change("b", {}, {}, true),
    change("c", {}, {}),
  ]);
  expect(sorted.map(({ id }) => id)).toEqual(["b", "a", "c"]);
});
