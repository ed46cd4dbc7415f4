import { expect, test } from "vitest";
import { ManualClock } from "@/lib/clock";
import { tokenBucket } from "@/lib/core/bucket";
import { fixedWindow } from "@/lib/core/fixed-window";
import { retryAfterSeconds } from "@/lib/core/headers";
import { slidingWindow } from "@/lib/core/sliding-window";
import { createFallback } from "./fallback";
import type { LimiterRule } from "./state-key";

const open = (gateways = 1) => {
  const fleet = { size: gateways };
  const clock = new ManualClock();
  return { fleet, clock, fallback: createFallback({ clock, fleetSize: () => fleet.size }) };
};

let slots = 0;
function rule(input: Partial<LimiterRule> = {}): LimiterRule {
  slots += 1;
  return {
    ruleId: `rule-${slots}`,
    key: "hg:test:1:{key:one}",
    slot: slots,
    role: "enforced",
    limit: tokenBucket({ rate: 60, per: "1m", burst: 60 }),
    cost: 1,
    failMode: "local",
    ...input,
  };
}

function passes(
  fallback: ReturnType<typeof open>["fallback"],
  rules: LimiterRule[],
  tries: number,
) {
  let count = 0;
  for (let i = 0; i < tries; i += 1) if (fallback.decide(rules).verdict === "allowed") count += 1;
  return count;
}

test.each([
  [0, 60],
  [1, 60],
  [3, 20],
  [7, 8],
  [100, 1],
])(
  "of a fleet of %d this gateway lets %d of 60 pass, and says that it decided",
  (gateways, count) => {
    const { fallback } = open(gateways);
    const sixty = rule();
    expect(fallback.decide([sixty])).toMatchObject({ source: "local", unchecked: [] });
    expect(passes(fallback, [sixty], 100)).toBe(count - 1);
  },
);

test("a share below a request's cost still lets one pass, as a share below 1 does", () => {
  const { fallback } = open(4);
  const limit = tokenBucket({ rate: 100, per: "1h", burst: 100 });
  const exports = rule({ limit, cost: 60 });
  expect(fallback.decide([exports])).toMatchObject({ verdict: "allowed" });
  const refused = fallback.decide([exports]);
  expect(refused.verdict).toBe("refused");
  // 60 tokens at a quarter of 100 an hour.
  expect(refused.binding?.retryAfterMs).toBe(60 * 144_000);
  const never = rule({ limit, cost: 101 });
  expect(fallback.decide([never])).toMatchObject({
    verdict: "refused",
    binding: { retryAfterMs: null },
  });
});

test("a fleet that grows clips at once, one that shrinks gives nothing back", () => {
  const { fallback, fleet } = open(2);
  const sixty = rule();
  expect(fallback.decide([sixty]).binding?.remaining).toBe(29);
  fleet.size = 6;
  expect(fallback.decide([sixty]).binding?.remaining).toBe(9);
  fleet.size = 1;
  expect(fallback.decide([sixty]).binding?.remaining).toBe(8);
});

test("an open rule lets everything pass and binds nothing", () => {
  const { fallback } = open();
  const unlimited = rule({
    failMode: "open",
    limit: tokenBucket({ rate: 1, per: "1h", burst: 1 }),
  });
  expect(passes(fallback, [unlimited], 5)).toBe(5);
  expect(fallback.decide([unlimited])).toMatchObject({
    binding: null,
    unchecked: [unlimited.ruleId],
  });
  const local = rule();
  const both = fallback.decide([unlimited, local]);
  expect(both.perRule.map(({ ruleId }) => ruleId)).toEqual([unlimited.ruleId, local.ruleId]);
  expect(both).toMatchObject({ binding: { ruleId: local.ruleId, remaining: 59 } });
});

test("a closed rule refuses for a second, and nothing else is charged", () => {
  const { fallback } = open();
  const login = rule({ failMode: "closed" });
  const local = rule();
  const refused = fallback.decide([local, login]);
  expect(refused).toMatchObject({
    verdict: "refused",
    binding: { ruleId: login.ruleId, retryAfterMs: 1000, remaining: 0 },
    unchecked: [login.ruleId],
  });
  expect(fallback.decide([local]).binding?.remaining).toBe(59);
});

test("a closed rule in shadow refuses nobody", () => {
  const { fallback } = open();
  const watched = rule({ failMode: "closed", role: "shadow" });
  expect(fallback.decide([rule(), watched])).toMatchObject({
    verdict: "allowed",
    unchecked: [watched.ruleId],
  });
});

test("shadow rules go on being charged", () => {
  const { fallback } = open();
  const watched = rule({ role: "shadow", limit: tokenBucket({ rate: 1, per: "1h", burst: 1 }) });
  const seen = [1, 2].map(() => fallback.decide([rule(), watched]).perRule[1]?.allowed);
  expect(seen).toEqual([true, false]);
});

test("what was counted is forgotten on request", () => {
  const { fallback } = open();
  const sixty = rule();
  passes(fallback, [sixty], 60);
  fallback.forgetAll();
  expect(fallback.decide([sixty]).binding?.remaining).toBe(59);
});

const HOUR_MS = 3_600_000;

test("a window ends when its time has passed, whatever the wall clock says meanwhile", () => {
  const { fallback, clock } = open();
  const hourly = rule({ limit: fixedWindow({ rate: 2, per: "1h" }, "UTC") });
  clock.advance(HOUR_MS / 2);
  passes(fallback, [hourly], 2);
  for (const step of [-HOUR_MS, 2 * HOUR_MS]) {
    clock.stepWall(step);
    expect(fallback.decide([hourly]).binding?.retryAfterMs).toBe(HOUR_MS / 2);
  }
  clock.advance(HOUR_MS / 2 - 1);
  expect(fallback.decide([hourly]).verdict).toBe("refused");
  clock.advance(1);
  expect(passes(fallback, [hourly], 5)).toBe(2);
});

test("on the 23-hour day in Paris a quota used up at its second second is back after 82799 s", () => {
  const clock = new ManualClock(Date.parse("2022-03-27T00:00:01+01:00"));
  const fallback = createFallback({ clock, fleetSize: () => 1 });
  const daily = rule({ limit: fixedWindow({ rate: 2, per: "1d" }, "Europe/Paris") });
  expect(passes(fallback, [daily], 5)).toBe(2);
  const { binding } = fallback.decide([daily]);
  expect(binding && retryAfterSeconds(binding)).toBe(82_799);
  clock.advance(82_799_000);
  expect(passes(fallback, [daily], 5)).toBe(2);
});

test.each([
  ["sliding window", slidingWindow({ rate: 60, per: "1m" }), 60_000],
  ["fixed window", fixedWindow({ rate: 60, per: "1m" }, "UTC"), 60_000],
  ["calendar month", fixedWindow({ rate: 60, per: "1mo" }, "Europe/Paris"), 31 * 24 * HOUR_MS],
] as const)(
  "a %s has this gateway's share of the quota, and no less than a cost",
  (_, limit, longestMs) => {
    const { fallback } = open(4);
    const sixty = rule({ limit });
    expect(passes(fallback, [sixty], 100)).toBe(15);
    expect(fallback.decide([sixty]).binding?.retryAfterMs).toBeLessThanOrEqual(2 * longestMs);
    const costly = rule({ limit, cost: 40 });
    expect(passes(fallback, [costly], 5)).toBe(1);
    expect(fallback.decide([rule({ limit, cost: 61 })]).binding?.retryAfterMs).toBe(null);
  },
);

test("of requests in flight this gateway lets its share in", () => {
  const { fallback } = open(4);
  const limit = { algorithm: "concurrency", quota: 10, leaseSeconds: 30 } as const;
  const flights = rule({ limit, key: "hg:test:1:{key:one}:9", slot: 9 });
  const verdicts = ["a", "b", "c"].map((id) => fallback.decide([flights], id).verdict);
  expect(verdicts).toEqual(["allowed", "allowed", "refused"]);
  fallback.release({ key: flights.key, slot: 9, leaseId: "a", leaseSeconds: 30 });
  expect(fallback.decide([flights], "d").verdict).toBe("allowed");
});
