import { describe, expect, test } from "vitest";
import { RuleSchema } from "@/lib/core/rule";
import { type Kept, switchWay, WAYS, type Way, wayOf } from "./limit-ways";
import { NEW_RULE } from "./new-rule";
import type { RuleInput } from "./rule-input";

const rule: RuleInput = {
  ...NEW_RULE,
  id: "r",
  name: "R",
  countBy: ["apiKey", "route"],
  cost: { routes: { "/v1/search": 5 }, default: 1 },
  precision: "leased",
  meta: { owner: "team-a" },
  limit: {
    kind: "rate",
    algorithm: "token-bucket",
    perPlan: { free: { rate: 60, per: "1m", burst: 90 }, enterprise: "unlimited" },
    default: { rate: 30, per: "1m", burst: 30 },
  },
};

function through(input: RuleInput, ...ways: Way[]): RuleInput {
  let kept: Kept = new Map();
  let now = input;
  for (const way of ways) ({ input: now, kept } = switchWay(now, way, kept));
  return now;
}

describe("another way to limit keeps what it can say", () => {
  test.each<[Way, object]>([
    [
      "sliding-window",
      {
        kind: "rate",
        algorithm: "sliding-window",
        perPlan: { free: { rate: 60, per: "1m" }, enterprise: "unlimited" },
        default: { rate: 30, per: "1m" },
      },
    ],
    [
      "fixed-window",
      {
        kind: "rate",
        algorithm: "fixed-window",
        timeZone: "UTC",
        perPlan: { free: { rate: 60, per: "1m" }, enterprise: "unlimited" },
        default: { rate: 30, per: "1m" },
      },
    ],
    [
      "concurrency",
      {
        kind: "concurrency",
        lease: "30s",
        perPlan: { free: { concurrent: 10 }, enterprise: "unlimited" },
        default: { concurrent: 10 },
      },
    ],
    ["fleet", { kind: "fleet", capacity: 1000, reserve: 20 }],
    ["worker", { kind: "worker", maxDelayMs: 100 }],
  ])("%s", (way, limit) => {
    expect(through(rule, way).limit).toEqual(limit);
  });

  test("months become 30 days where only calendars know them, and months again on the way back", () => {
    const monthly = {
      ...rule,
      limit: {
        kind: "rate",
        algorithm: "fixed-window",
        timeZone: "Asia/Tokyo",
        default: { rate: 9, per: "1mo" },
      },
    };
    expect(through(monthly, "token-bucket").limit).toMatchObject({
      default: { rate: 9, per: "30d", burst: 9 },
    });
    expect(through(monthly, "sliding-window", "fixed-window").limit).toEqual({
      ...monthly.limit,
      perPlan: {},
    });
  });

  test("what changed meanwhile is carried over, not undone", () => {
    let kept: Kept = new Map();
    let input: RuleInput;
    ({ input, kept } = switchWay(rule, "sliding-window", kept));
    input = { ...input, limit: { ...Object(input.limit), default: { rate: 5, per: "1h" } } };
    ({ input } = switchWay(input, "token-bucket", kept));
    expect(input.limit).toMatchObject({
      perPlan: { free: { rate: 60, per: "1m", burst: 90 } },
      default: { rate: 5, per: "1h", burst: 5 },
    });
  });
});

test.each(WAYS.flatMap((a) => WAYS.map((b) => [a, b] as const)))(
  "by way of %s and %s a valid rule stays valid, and comes back as it was",
  (a, b) => {
    for (const input of [through(rule, a), through(rule, a, b)]) {
      const parsed = RuleSchema.safeParse(input);
      expect(parsed.error?.issues ?? []).toEqual([]);
    }
    expect(wayOf(through(rule, a, b))).toBe(b);
    const back = through(rule, a, b, "token-bucket");
    // The lease of tokens was given up on the way; it is a choice of its own to take it again.
    expect({ ...back, precision: "leased" }).toEqual(rule);
  },
);

test("a new shedder begins with what a limit needs when it becomes one", () => {
  const shedder = {
    ...NEW_RULE,
    id: "r",
    name: "R",
    countBy: ["global"],
    limit: { kind: "worker" },
  };
  const input = through(shedder, "concurrency");
  expect(input).toMatchObject({ countBy: ["client"], limit: { default: { concurrent: 10 } } });
});

test("keys that no way knows stay, for the server to judge", () => {
  const odd = { ...rule, limit: { ...Object(rule.limit), colour: "red" }, later: 1 };
  expect(through(odd, "fleet")).toMatchObject({ limit: { colour: "red" }, later: 1 });
  expect(wayOf({ limit: { kind: "token-bucket" } })).toBeNull();
  expect(wayOf({ limit: { kind: "rate", algorithm: "fleet" } })).toBeNull();
});
