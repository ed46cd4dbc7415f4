import { expect, test } from "vitest";
import { type Amount, type Limit, LimitSchema } from "./limit";
import { mostPerMinute } from "./most-per-minute";
import type { Cost } from "./rule";

const limitOf = (algorithm: string, amount: Amount): Limit =>
  LimitSchema.parse({ kind: "rate", algorithm, default: amount });

test.each<[string, string, Amount, Cost, number | null]>([
  ["a full bucket and its refill", "token-bucket", { rate: 60, per: "1m", burst: 60 }, 1, 120],
  ["a slow bucket", "token-bucket", { rate: 1, per: "1h", burst: 10 }, 1, 10],
  ["a request that costs five", "token-bucket", { rate: 60, per: "1m", burst: 60 }, 5, 24],
  ["one that costs more than there is", "token-bucket", { rate: 60, per: "1m", burst: 4 }, 5, 0],
  ["a sliding hour", "sliding-window", { rate: 100, per: "1h" }, 1, 100],
  ["sliding seconds", "sliding-window", { rate: 5, per: "10s" }, 1, 30],
  ["a calendar month", "fixed-window", { rate: 1000, per: "1mo" }, 1, 1000],
  ["calendar seconds", "fixed-window", { rate: 2, per: "1s" }, 1, 120],
  ["no limit", "token-bucket", "unlimited", 1, null],
  [
    "a cost by header",
    "token-bucket",
    { rate: 6, per: "1m", burst: 6 },
    { header: "x-cost", default: 1 },
    null,
  ],
])("%s", (_, algorithm, amount, cost, most) => {
  expect(mostPerMinute(limitOf(algorithm, amount), amount, cost)).toBe(most);
});

test("requests at the same time are no number a minute", () => {
  const limit = LimitSchema.parse({ kind: "concurrency", default: { concurrent: 3 } });
  expect(mostPerMinute(limit, { concurrent: 3 }, 1)).toBeNull();
});
