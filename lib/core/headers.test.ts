import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fullBucket, MICRO, refill, spend, tokenBucket, waitUs } from "./bucket";
import { type BucketLimit, costWaitUs, presentState, takeCost } from "./bucket-limit";
import type { RuleOutcome } from "./check";
import { fixedWindow } from "./fixed-window";
import { rateLimitHeaders, retryAfterSeconds } from "./headers";
import { slidingWindow } from "./sliding-window";

const limit = tokenBucket({ rate: 7, per: "1m", burst: 7 });
const NOW = 1_700_000_000_000_000;
const all = { xRateLimit: true, draft: true, expose: true };

function outcome(fields: Partial<RuleOutcome> = {}): RuleOutcome {
  return {
    ruleId: "per-key-rate",
    role: "enforced",
    allowed: true,
    charged: true,
    remaining: 3,
    resetMs: 0,
    retryAfterMs: 0,
    ...fields,
  };
}

const refused = outcome({
  allowed: false,
  charged: false,
  remaining: 0,
  resetMs: 8571,
  retryAfterMs: 8571,
});

test("an allowed answer says what is left", () => {
  const fields = rateLimitHeaders(
    { verdict: "allowed", binding: outcome(), nowUs: NOW },
    limit,
    all,
  );
  expect(fields).toEqual([
    ["X-RateLimit-Limit", "7"],
    ["X-RateLimit-Remaining", "3"],
    ["X-RateLimit-Reset", "0"],
    ["RateLimit", '"per-key-rate";r=3;t=0'],
    ["RateLimit-Policy", '"per-key-rate";q=7;w=60'],
    [
      "Access-Control-Expose-Headers",
      "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy",
    ],
  ]);
});

test("a refused answer says when to come back, rounded up", () => {
  const fields = rateLimitHeaders({ verdict: "refused", binding: refused, nowUs: NOW }, limit, all);
  expect(Object.fromEntries(fields)).toMatchObject({
    "X-RateLimit-Remaining": "0",
    "X-RateLimit-Reset": "9",
    RateLimit: '"per-key-rate";r=0;t=9',
    "Retry-After": "9",
  });
  expect(fields.at(-1)?.[1]).toContain("Retry-After");
});

test("no enforced rule, no fields", () => {
  expect(rateLimitHeaders({ verdict: "allowed", binding: null, nowUs: NOW }, null, all)).toEqual(
    [],
  );
});

test.each<[Partial<typeof all>, string[]]>([
  [
    { xRateLimit: false },
    ["RateLimit", "RateLimit-Policy", "Retry-After", "Access-Control-Expose-Headers"],
  ],
  [
    { draft: false, expose: false },
    ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"],
  ],
  [{ xRateLimit: false, draft: false }, ["Retry-After", "Access-Control-Expose-Headers"]],
])("with settings %j a refusal has %j", (settings, names) => {
  const fields = rateLimitHeaders({ verdict: "refused", binding: refused, nowUs: NOW }, limit, {
    ...all,
    ...settings,
  });
  expect(fields.map(([name]) => name)).toEqual(names);
});

describe("Retry-After", () => {
  test.each<[number | null, number, number | null]>([
    [1, 1, 1],
    [999, 999, 1],
    [1000, 1000, 1],
    [1001, 1001, 2],
    [25_714, 0, 26],
    [0, 0, 1],
    [null, 0, null],
  ])("of %s ms (reset %s ms) is %s s", (retryAfterMs, resetMs, expected) => {
    expect(retryAfterSeconds(outcome({ allowed: false, retryAfterMs, resetMs }))).toBe(expected);
  });

  test("is left out when waiting does not help", () => {
    const binding = outcome({ allowed: false, retryAfterMs: null });
    const fields = rateLimitHeaders({ verdict: "refused", binding, nowUs: NOW }, limit, all);
    expect(fields.map(([name]) => name)).not.toContain("Retry-After");
  });

  test("is long enough for a lone client, at any phase of any bucket", () => {
    const rate = fc.integer({ min: 1, max: 1000 });
    const phase = fc.integer({ min: 0, max: 100_000_000 });
    fc.assert(
      fc.property(
        rate,
        rate,
        rate,
        fc.constantFrom("1s", "13s", "1m", "1h"),
        phase,
        (r, b, c, per, elapsed) => {
          const bucket = tokenBucket({ rate: r, per, burst: b });
          const cost = Math.min(b, c) * MICRO;
          const start = spend(fullBucket(bucket, 0), bucket.capacity);
          const state = refill(start, bucket, elapsed);
          const retryAfterMs = Math.ceil(waitUs(state, bucket, elapsed, cost) / 1000);
          const seconds = retryAfterSeconds(outcome({ allowed: false, retryAfterMs })) ?? 0;
          const later = refill(state, bucket, elapsed + seconds * 1_000_000);
          expect(later.level).toBeGreaterThanOrEqual(cost);
        },
      ),
    );
  });
});

test.each([
  [{ rate: 60, per: "1m", burst: 60 }, 60],
  [{ rate: 7, per: "13s", burst: 5 }, 10],
  [{ rate: 1_000_000_000, per: "1s", burst: 1 }, 1],
  [{ rate: 999_999_999, per: "30d", burst: 1_000_000_000 }, 2_592_001],
])("w of %j is %i", (rate, seconds) => {
  const fields = rateLimitHeaders(
    { verdict: "allowed", binding: outcome(), nowUs: NOW },
    tokenBucket(rate),
    all,
  );
  expect(Object.fromEntries(fields)["RateLimit-Policy"]).toBe(
    `"per-key-rate";q=${rate.burst};w=${seconds}`,
  );
});

const monthly = fixedWindow({ rate: 3_000_000_000, per: "1mo" }, "Europe/Paris");

test.each<[string, BucketLimit, string, string]>([
  [
    "a sliding window",
    slidingWindow({ rate: 60, per: "90s" }),
    "2023-11-14T22:13:20Z",
    "q=60;w=90",
  ],
  ["a month of 31 days", monthly, "2025-01-15T00:00:00Z", "q=3000000000;w=2678400"],
  ["a month that loses an hour", monthly, "2025-03-15T00:00:00Z", "q=3000000000;w=2674800"],
  ["February", monthly, "2025-02-15T00:00:00Z", "q=3000000000;w=2419200"],
  [
    "requests in flight",
    { algorithm: "concurrency", quota: 5, leaseSeconds: 30 },
    "2025-01-15T00:00:00Z",
    'q=5;qu="concurrent-requests"',
  ],
])("the policy of %s says its quota and how long it counts", (_, limit, at, policy) => {
  const nowUs = Date.parse(at) * 1000;
  const fields = rateLimitHeaders({ verdict: "allowed", binding: outcome(), nowUs }, limit, all);
  expect(Object.fromEntries(fields)["RateLimit-Policy"]).toBe(`"per-key-rate";${policy}`);
  expect(Object.fromEntries(fields)["X-RateLimit-Limit"]).toBe(/q=(\d+)/.exec(policy)?.[1]);
});

test("a day of 23 hours whose quota is used up at its second second: Retry-After 82799", () => {
  const daily = fixedWindow({ rate: 2, per: "1d" }, "Europe/Paris");
  const nowUs = Date.parse("2022-03-27T00:00:01+01:00") * 1000;
  const state = takeCost(presentState(undefined, daily, nowUs), daily, 2);
  const waitMs = costWaitUs(state, daily, nowUs, 1) / 1000;
  const binding = { ...refused, resetMs: waitMs, retryAfterMs: waitMs };
  const fields = rateLimitHeaders({ verdict: "refused", binding, nowUs }, daily, all);
  expect(Object.fromEntries(fields)).toMatchObject({
    "Retry-After": "82799",
    "X-RateLimit-Reset": "82799",
    "RateLimit-Policy": '"per-key-rate";q=2;w=82800',
  });
});

test("a remaining below zero is never shown", () => {
  const fields = rateLimitHeaders(
    { verdict: "allowed", binding: outcome({ remaining: -4 }), nowUs: NOW },
    limit,
    all,
  );
  expect(Object.fromEntries(fields)["X-RateLimit-Remaining"]).toBe("0");
});
