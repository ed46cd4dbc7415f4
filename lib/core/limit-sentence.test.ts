import { describe, expect, test } from "vitest";
import { bodyOf, ruleOf, tokenBucketRule } from "../testing/rules";
import { DEMO_CONTENT } from "./demo-ruleset";
import { limitSentence, planLimits } from "./limit-sentence";

type Fields = Parameters<typeof tokenBucketRule>[0];
const per = (rate: number, burst = rate) => ({ rate, per: "1m", burst });

describe("a rule in one line", () => {
  test.each<[Fields, string]>([
    [{}, "60 per 1m per API key"],
    [
      { limit: { default: { rate: 60, per: "60s", burst: 90 } } },
      "60 per 1m, burst 90 per API key",
    ],
    [{ countBy: ["global"] }, "60 per 1m in total"],
    [{ countBy: ["apiKey", "route"] }, "60 per 1m per API key and route"],
    [{ countBy: ["ip", "header:x-tenant"] }, "60 per 1m per IP address and x-tenant header"],
    [{ cost: 5 }, "60 per 1m, 5 a request per API key"],
    [
      {
        match: { methods: ["POST"], routes: ["/v1/links/**"], plans: ["free"] },
        limit: { perPlan: { free: per(60) }, default: undefined },
      },
      "60 per 1m per API key on POST /v1/links/** for plan free",
    ],
    [
      {
        match: { plans: ["free", "paid"] },
        limit: { perPlan: { free: per(60), paid: per(60) }, default: per(5) },
      },
      "60 per 1m per API key for plans free and paid",
    ],
    [
      {
        limit: {
          perPlan: { free: per(60), paid: per(600), enterprise: "unlimited" },
          default: per(20),
        },
      },
      "free 60 per 1m, paid 600 per 1m, enterprise unlimited and others 20 per 1m per API key",
    ],
    [{ limit: { perPlan: { free: per(60) }, default: undefined } }, "free 60 per 1m per API key"],
    [
      { countBy: ["client"], limit: { anonymous: per(20), default: per(60) } },
      "anonymous 20 per 1m and others 60 per 1m per client",
    ],
    [
      {
        countBy: ["ip"],
        match: { authenticated: false },
        limit: { anonymous: per(20), default: undefined },
      },
      "20 per 1m per IP address without a key",
    ],
    [
      {
        match: {
          methods: ["GET", "POST"],
          headers: { "x-tier": ["beta"], "x-b": [] },
          ips: ["198.51.100.0/24"],
        },
      },
      "60 per 1m per API key on GET, POST with x-tier: beta with x-b from 198.51.100.0/24",
    ],
    [
      { match: { routes: ["/a", "/b", "/c", "/d", "/e"] } },
      "60 per 1m per API key on /a, /b, /c and 2 more",
    ],
  ])("%j", (fields, sentence) => {
    expect(limitSentence(tokenBucketRule(fields))).toBe(sentence);
  });
});

type Limit = Parameters<typeof ruleOf>[0];
const monthly: Limit = {
  kind: "rate",
  algorithm: "fixed-window",
  perPlan: { free: { rate: 100, per: "1mo" }, enterprise: "unlimited" },
  default: { rate: 1000, per: "1mo" },
};

describe("every kind says what it is", () => {
  test.each<[Limit, Parameters<typeof ruleOf>[1], string]>([
    [
      { kind: "rate", algorithm: "sliding-window", default: { rate: 60, per: "60s" } },
      {},
      "60 in any 1m per API key",
    ],
    [
      { kind: "rate", algorithm: "fixed-window", default: { rate: 100, per: "1d" } },
      {},
      "100 per calendar day (UTC) per API key",
    ],
    [
      {
        kind: "rate",
        algorithm: "fixed-window",
        timeZone: "Europe/Paris",
        default: { rate: 100, per: "15m" },
      },
      { countBy: ["customer"] },
      "100 per 15 calendar minutes (Europe/Paris) per customer",
    ],
    [
      monthly,
      {},
      "free 100 per calendar month, enterprise unlimited and others 1000 per calendar month (UTC) per API key",
    ],
    [
      { kind: "rate", algorithm: "fixed-window", default: "unlimited" },
      {},
      "unlimited per API key",
    ],
    [
      { kind: "concurrency", perPlan: { free: { concurrent: 2 } }, default: { concurrent: 20 } },
      { match: { routes: ["/v1/exports"] } },
      "free 2 at the same time and others 20 at the same time per API key on /v1/exports",
    ],
    [
      { kind: "fleet", capacity: 1000, reserve: 20 },
      { match: { methods: ["GET"], routes: ["/v1/**"] } },
      "sheds normal requests on GET /v1/** while the fleet takes more than 1000 a second, 20 % kept for critical ones",
    ],
    [
      { kind: "fleet", capacity: 1000 },
      { priority: "critical" },
      "never sheds critical requests while the fleet takes more than 1000 a second, 20 % kept for critical ones",
    ],
    [
      { kind: "worker", maxDelayMs: 100 },
      { priority: "test", match: { headers: { "x-test": [] } } },
      "sheds test requests with x-test while the gateway's event loop is more than 100 ms late",
    ],
    [
      { kind: "rate", algorithm: "sliding-window", default: { rate: 60, per: "1m" } },
      { cost: { routes: { "/v1/search": 5, "/v1/find": 5, "/v1/export": 20 }, default: 1 } },
      "60 in any 1m, 5 a request on /v1/search and /v1/find, 20 a request on /v1/export, else 1 per API key",
    ],
    [
      { kind: "rate", algorithm: "sliding-window", default: { rate: 60, per: "1m" } },
      { cost: { header: "X-Cost", default: 2 } },
      "60 in any 1m, as header x-cost of a trusted hop says, else 2 a request per API key",
    ],
  ])("%j", (limit, fields, sentence) => {
    expect(limitSentence(ruleOf(limit, fields))).toBe(sentence);
  });

  test("also in the rows by plan", () => {
    expect(planLimits(ruleOf(monthly), bodyOf([]).plans).map(({ words }) => words)).toEqual([
      "100 per calendar month (UTC)",
      "1000 per calendar month (UTC)",
      "unlimited",
      "no limit",
    ]);
    expect(planLimits(ruleOf({ kind: "worker" }), [])).toEqual([
      { plan: "anonymous", words: "shed above 100 ms delay", from: "shedder" },
    ]);
  });
});

test("each plan's row says what it gets and from where", () => {
  const rule = tokenBucketRule({
    countBy: ["client"],
    match: { plans: ["free", "paid", "anonymous"] },
    limit: { perPlan: { free: per(60, 90) }, anonymous: per(20), default: undefined },
  });
  expect(planLimits(rule, bodyOf([]).plans)).toEqual([
    { plan: "free", words: "60 per 1m, burst 90", from: "perPlan" },
    { plan: "paid", words: "no limit", from: "none" },
    { plan: "enterprise", words: "no limit", from: "not matched" },
    { plan: "anonymous", words: "20 per 1m", from: "anonymous" },
  ]);
});

test("a rule by API key does not reach traffic without one", () => {
  expect(planLimits(tokenBucketRule(), []).at(-1)?.from).toBe("not matched");
});

test("the demo's rules read well", () => {
  expect(DEMO_CONTENT.rules.map(limitSentence)).toEqual([
    "20 per 1m per IP address without a key",
    "6 per 1m, burst 3 per API key on POST /v1/links for plan free",
    "free 60 per 1m, paid 600 per 1m, enterprise 6000 per 1m and others 60 per 1m, burst 20 per API key",
  ]);
});
