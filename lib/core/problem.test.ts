import { expect, test } from "vitest";
import { tokenBucket } from "./bucket";
import { DETAILS, gatewayProblem, quotaProblem } from "./problem";

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

test.each([401, 502, 503, 504] as const)("a %i of our own is a problem, too", (status) => {
  const problem = gatewayProblem(status, DETAILS.unknownKey, { requestId: "req-1" });
  expect(problem).toMatchObject({ type: "about:blank", status, requestId: "req-1" });
  expect(problem.title).not.toBe("");
});
