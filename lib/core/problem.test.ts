import { expect, test } from "vitest";
import { tokenBucket } from "./bucket";
import type { BucketLimit } from "./bucket-limit";
import { fixedWindow } from "./fixed-window";
import { DETAILS, gatewayProblem, quotaProblem } from "./problem";
import { slidingWindow } from "./sliding-window";

const refusal = {
  rule: "per-key-rate",
  limit: tokenBucket({ rate: 60, per: "60s", burst: 20 }),
  cost: 1,
  violated: ["per-key-rate", "writes"],
  version: 42,
  requestId: "req-1",
  retryAfter: 9,
};

test("a 429 names the rule, the version, the request and the wait", () => {
  expect(quotaProblem(refusal)).toEqual({
    type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
    title: "Request cannot be satisfied as assigned quota has been exceeded",
    status: 429,
    detail: "Rule per-key-rate allows 60 per 1m, at most 20 at once. Try again in 9 seconds.",
    rule: "per-key-rate",
    version: 42,
    requestId: "req-1",
    retryAfter: 9,
    "violated-policies": ["per-key-rate", "writes"],
  });
});

test("a 429 that no waiting helps says so and promises nothing", () => {
  const problem = quotaProblem({ ...refusal, cost: 30, retryAfter: null });
  expect(problem.detail).toContain("takes 30 at once, which it never allows");
  expect(problem).not.toHaveProperty("retryAfter");
});

test("one second is one second", () => {
  expect(quotaProblem({ ...refusal, retryAfter: 1 }).detail).toMatch(/in 1 second\.$/);
});

test.each<[BucketLimit, number, string]>([
  [
    slidingWindow({ rate: 60, per: "90s" }),
    31,
    "Rule per-key-rate allows 60 in any 90s. Try again in 31 seconds.",
  ],
  [
    fixedWindow({ rate: 10_000, per: "1mo" }, "UTC"),
    1_123_201,
    "Rule per-key-rate allows 10000 per calendar month (UTC). Try again in 13 days 1 hour.",
  ],
  [
    fixedWindow({ rate: 2, per: "1d" }, "Europe/Paris"),
    82_799,
    "Rule per-key-rate allows 2 per calendar day (Europe/Paris). Try again in 23 hours.",
  ],
  [
    fixedWindow({ rate: 7, per: "15m" }, "Asia/Kolkata"),
    61,
    "Rule per-key-rate allows 7 per 15 calendar minutes (Asia/Kolkata). Try again in 1 minute 1 second.",
  ],
  [
    { algorithm: "concurrency", quota: 5, leaseSeconds: 30 },
    1,
    "Rule per-key-rate allows 5 requests at the same time. Try again when one of them has been answered.",
  ],
])("a 429 of each kind says what is allowed and when to come back", (limit, retryAfter, detail) => {
  expect(quotaProblem({ ...refusal, limit, retryAfter })).toMatchObject({ detail, retryAfter });
});

test.each([
  [59, "59 seconds"],
  [60, "1 minute"],
  [3599, "59 minutes 59 seconds"],
  [3601, "1 hour 1 minute"],
  [7199, "2 hours"],
  [86_400, "1 day"],
  [31_622_400, "366 days"],
])("%i s are told as %s, never as less", (retryAfter, words) => {
  expect(quotaProblem({ ...refusal, retryAfter }).detail).toContain(`Try again in ${words}.`);
});

test.each([401, 502, 503, 504] as const)("a %i of our own is a problem, too", (status) => {
  const problem = gatewayProblem(status, DETAILS.unknownKey, { requestId: "req-1" });
  expect(problem).toMatchObject({ type: "about:blank", status, requestId: "req-1" });
  expect(problem.title).not.toBe("");
});
