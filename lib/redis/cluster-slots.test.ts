import { expect, test } from "vitest";
import { mostCommon, type SlotMap } from "./cluster-slots";

const view = (port: number): SlotMap => ({
  ranges: [{ first: 0, last: 16_383, host: "10.0.0.1", port }],
  others: [],
});

test("a node that is cut off and says what was is outvoted, whoever is asked first", () => {
  for (let turn = 0; turn < 3; turn += 1)
    expect(mostCommon([view(7001), view(7002), view(7002)], turn)).toEqual(view(7002));
});

test("of equally many each has its turn", () => {
  const said = [0, 1, 2, 3].map((turn) => mostCommon([view(7001), view(7002)], turn));
  expect(said).toEqual([view(7001), view(7002), view(7001), view(7002)]);
});

test("who does not answer has no vote, and without any there is none", () => {
  expect(mostCommon([null, view(7001), null], 0)).toEqual(view(7001));
  expect(mostCommon([null, null], 1)).toBeNull();
  expect(mostCommon([], 0)).toBeNull();
});
