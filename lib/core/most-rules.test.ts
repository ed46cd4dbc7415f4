import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyOf, factsOf, ruleOf, tokenBucketRule } from "../testing/rules";
import { compileRuleset } from "./compile-ruleset";
import { findCrowd } from "./most-rules";
import type { Rule } from "./rule";
import { SettingsSchema } from "./ruleset";

type Fields = NonNullable<Parameters<typeof tokenBucketRule>[0]>;
const { plans } = bodyOf([]);
const settings = SettingsSchema.parse({});

function many(count: number, fields: (i: number) => Fields): Rule[] {
  return Array.from({ length: count }, (_, i) => tokenBucketRule({ id: `r${i}`, ...fields(i) }));
}
const crowdOf = (rules: Rule[], max?: number) => findCrowd({ rules, plans, settings }, max);

describe("more than 32 rules on one request are found", () => {
  test.each<[string, Rule[], string]>([
    ["that match everything", many(33, () => ({})), "GET / on plan free"],
    [
      "on one route by many globs",
      many(33, (i) => ({ match: { routes: [i % 2 ? "/v1/**" : "/*/links", "/other"] } })),
      "GET /v1/links on plan free",
    ],
    [
      "from one address in nested ranges",
      many(33, (i) => ({ match: { ips: [`10.0.0.0/${i % 33}`], methods: ["POST"] } })),
      "POST / on plan free from 10.0.0.0/32",
    ],
    [
      "by the value of a header",
      many(40, (i) => ({ match: { headers: i < 7 ? { "x-a": ["no"] } : { "x-a": ["yes"] } } })),
      "GET / on plan free with x-a: yes",
    ],
    [
      "without a key",
      many(33, () => ({ countBy: ["ip"], match: { authenticated: false } })),
      "GET / on plan anonymous",
    ],
    [
      "on a plan that no version has",
      many(33, () => ({ match: { plans: ["gone"] } })),
      "GET / on plan gone",
    ],
    [
      "for whoever is on no plan that it names",
      many(33, () => ({
        limit: {
          perPlan: { free: "unlimited", paid: "unlimited", enterprise: "unlimited" },
          default: { rate: 1, per: "1m", burst: 1 },
        },
      })),
      "GET / on a plan of no name",
    ],
  ])("%s", (_, rules, request) => {
    expect(crowdOf(rules)).toMatchObject({ request, isExact: true });
  });
});

describe("fewer are none", () => {
  test.each<[string, Rule[]]>([
    ["32", many(32, () => ({}))],
    ["each on its own route", many(1000, (i) => ({ match: { routes: [`/v1/r${i}/**`] } }))],
    ["each from its own network", many(200, (i) => ({ match: { ips: [`10.0.${i}.0/24`] } }))],
    [
      "each for its own header value",
      many(100, (i) => ({ match: { headers: { "x-a": [`${i}`] } } })),
    ],
    ["off", many(40, () => ({ mode: "off" }))],
    ["unlimited", many(40, () => ({ limit: { default: "unlimited" } }))],
    ["shedders", many(40, () => ({})).map(({ id }) => ruleOf({ kind: "worker" }, { id }))],
    [
      "by two methods and three plans",
      many(96, (i) => ({
        match: {
          methods: [i % 2 ? "POST" : "PUT"],
          plans: [["free", "paid", "enterprise"][i % 3] ?? "free"],
        },
      })),
    ],
    [
      "half for clients with a key",
      many(64, (i) => ({ countBy: ["ip"], match: { authenticated: i % 2 === 0 } })),
    ],
  ])("%s", (_, rules) => {
    expect(crowdOf(rules)).toBeNull();
  });
});

test("1,000 rules, 300 of them on every route, are counted in well under a second", () => {
  const rules = many(1000, (i) => {
    if (i % 10 > 2) return { match: { routes: [`/v1/r${i}`, `/v1/r${i}/**`] } };
    if (i % 3 === 0) return { match: { ips: [`10.${i % 250}.${i % 7}.0/24`] } };
    return i % 3 === 1
      ? { match: { headers: { [`x-${i % 20}`]: [`v${i}`] } } }
      : { match: { plans: ["free"], ips: [`192.168.${i % 250}.0/24`] } };
  });
  const start = process.cpuUsage();
  expect(crowdOf(rules)).toBeNull();
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1e6).toBeLessThan(1);
});

const path = fc.constantFrom("/a", "/a/b", "/c/b", "/c", "/");
const glob = fc.constantFrom("/**", "/a", "/a/**", "/*/b", "/**/b", "/:x", "/c/*", "/");
const ip = fc.constantFrom("10.0.0.1", "10.0.0.2", "10.1.0.1", "198.51.100.7");
const range = fc.constantFrom("10.0.0.0/8", "10.0.0.0/16", "10.0.0.1", "0.0.0.0/0");
const fields = fc.record(
  {
    match: fc.record(
      {
        methods: fc.uniqueArray(fc.constantFrom("GET" as const, "POST" as const), { minLength: 1 }),
        routes: fc.uniqueArray(glob, { minLength: 1, maxLength: 2 }),
        plans: fc.uniqueArray(fc.constantFrom("free", "paid", "gone", "anonymous"), {
          minLength: 1,
        }),
        authenticated: fc.boolean(),
        headers: fc.constantFrom({}, { "x-a": [] }, { "x-a": ["1"] }, { "x-b": ["1", "2"] }),
        ips: fc.uniqueArray(range, { minLength: 1 }),
      },
      { requiredKeys: [] },
    ),
    countBy: fc.constantFrom<string[][]>(
      ["apiKey"],
      ["client"],
      ["ip"],
      ["global"],
      ["header:x-b"],
    ),
    limit: fc.constantFrom<NonNullable<Fields["limit"]>>(
      {},
      { perPlan: { free: "unlimited" } },
      { perPlan: { free: { rate: 1, per: "1m", burst: 1 } }, default: undefined },
    ),
  },
  { requiredKeys: [] },
);
const request = fc.record({
  method: fc.constantFrom("GET", "POST", "HEAD", "DELETE"),
  path,
  ip,
  plan: fc.constantFrom("free", "paid", "gone", "never-heard-of", "anonymous"),
  headers: fc.constantFrom({}, { "x-a": "1" }, { "x-a": "2", "x-b": "1" }, { "x-b": "3" }),
});

test("no request meets more rules than were counted, and the one that is named meets that many", () => {
  fc.assert(
    fc.property(
      fc.array(fields, { minLength: 1, maxLength: 12 }),
      fc.array(request, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 0, max: 8 }),
      (inputs, requests, max) => {
        const rules = inputs.map((input, i) => tokenBucketRule({ id: `r${i}`, ...input }));
        const index = compileRuleset(bodyOf(rules), { epoch: 1, version: 1, hash: "h" });
        const most = Math.max(
          ...requests.map(({ plan, ...rest }) => {
            const who = plan === "anonymous" ? {} : { key: "k1", plan };
            return index.match(factsOf({ ...rest, ...who })).length;
          }),
        );
        const crowd = crowdOf(rules, max);
        if (crowd === null) expect(most).toBeLessThanOrEqual(max);
        else expect(crowd.rules.length).toBeGreaterThan(max);
        expect(crowd?.isExact ?? true).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test("rules too entangled to count are refused, soon, and said to be so", () => {
  const rules = many(400, (i) => ({
    match: {
      routes: [
        `/**/s${i % 53}/**/t${i % 31}/*/s${i % 7}/**`,
        `/*/s${i % 5}/**/s${i % 11}/**/x/t/u`,
      ],
      headers: { [`h${i % 12}`]: [`${i % 2}`], [`h${(i * 7 + 3) % 12}`]: [`${i % 2}`] },
    },
  }));
  const start = process.cpuUsage();
  const crowd = crowdOf(rules);
  const { user, system } = process.cpuUsage(start);
  expect(crowd?.rules.length ?? 0).toBeGreaterThan(32);
  expect((user + system) / 1e6).toBeLessThan(2);
});
