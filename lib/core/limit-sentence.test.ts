import { describe, expect, test } from "vitest";
import { bodyOf, tokenBucketRule } from "../testing/rules";
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
