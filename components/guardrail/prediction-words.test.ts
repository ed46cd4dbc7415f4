import { expect, test } from "vitest";
import { planComparisons, predictionWords, ratioWords } from "./prediction-words";

const figures = (
  requests: number,
  rejections: number,
  byPlan: [string, number, number][] = [],
) => ({
  requests,
  rejections,
  share: requests === 0 ? null : rejections / requests,
  byPlan: byPlan.map(([plan, requests, rejections]) => ({
    plan,
    requests,
    rejections,
    share: requests === 0 ? null : rejections / requests,
  })),
});
const at = { from: "2026-11-29T00:00:00.000Z", to: "2026-11-30T00:00:00.000Z" };

test.each([
  [
    figures(1000, 20),
    figures(2000, 60),
    1.5,
    "Since v7 it refused 3.0% (60 of 2,000). Shadow foretold 2.0% (20 of 1,000): 1.5 times as much.",
  ],
  [
    figures(1000, 0),
    figures(2000, 60),
    null,
    "Since v7 it refused 3.0% (60 of 2,000). Shadow foretold none of 1,000 requests: this is more than it saw.",
  ],
  [
    figures(1000, 20),
    figures(0, 0),
    null,
    "No request was counted on gateways with v7 yet: nobody can say what it refuses. Shadow foretold 2.0% (20 of 1,000).",
  ],
  [
    null,
    figures(2000, 0),
    null,
    "Since v7 it refused 0% (0 of 2,000). Shadow had counted nothing before, so nothing was foretold.",
  ],
])(
  "predicted against actual is said without a figure that nobody has",
  (predicted, actual, ratio, words) => {
    const compared = { predicted: predicted && { ...predicted, ...at }, actual, ratio, version: 7 };
    expect(predictionWords(compared)).toBe(words);
  },
);

test("a ratio near one is as foretold, a lower one is what backing off looks like", () => {
  expect([0, 0.42, 0.95, 1.05, 3, 28.4].map(ratioWords)).toEqual([
    "none of it came",
    "0.42 of it, as when clients that are refused back off",
    "as foretold",
    "as foretold",
    "3 times as much",
    "28 times as much",
  ]);
});

test("plans are compared one by one, also those that only one side knows", () => {
  const predicted = {
    ...figures(30, 1, [
      ["free", 10, 1],
      ["paid", 20, 0],
    ]),
    ...at,
  };
  const actual = figures(15, 7, [
    ["enterprise", 5, 5],
    ["free", 10, 2],
  ]);
  const rows = planComparisons({ predicted, actual });
  expect(rows.map(({ plan, words }) => `${plan}: ${words}`)).toEqual([
    "enterprise: nothing was foretold",
    "free: 2 times as much",
    "paid: no request yet",
  ]);
});
