import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyOf, factsOf, tokenBucketRule } from "../testing/rules";
import { quotaOf } from "./bucket-limit";
import { canonicalPath } from "./canonical-path";
import { compileRuleset } from "./compile-ruleset";
import type { Rule } from "./rule";
import type { Body } from "./ruleset";
import type { MatchedRule, RequestFacts } from "./ruleset-index";

const at = { epoch: 1, version: 7, hash: "h" };
type Fields = Parameters<typeof tokenBucketRule>[0];

function index(rules: readonly Rule[], fields: Partial<Body> = {}) {
  return compileRuleset(bodyOf(rules, fields), at);
}

function isMatched(fields: Fields, facts: RequestFacts): boolean {
  return index([tokenBucketRule(fields)]).match(facts).length === 1;
}

describe("a rule applies when every condition holds", () => {
  const keyed = factsOf({ key: "k1", plan: "free", customer: "acme", ip: "198.51.100.7" });
  const keyless = factsOf({ ip: "203.0.113.9" });
  test.each<[string, Fields, RequestFacts, boolean]>([
    ["an empty match, any request", {}, keyed, true],
    ["its method", { match: { methods: ["GET"] } }, keyed, true],
    ["another method", { match: { methods: ["POST"] } }, keyed, false],
    ["HEAD under GET", { match: { methods: ["GET"] } }, { ...keyed, method: "HEAD" }, true],
    ["GET not under HEAD", { match: { methods: ["HEAD"] } }, keyed, false],
    ["a method that nobody lists", { match: {} }, { ...keyed, method: "PROPFIND" }, true],
    ["a listed method only", { match: { methods: ["GET"] } }, { ...keyed, method: "TRACE" }, false],
    ["its route", { match: { routes: ["/v1/links/**"] } }, { ...keyed, path: "/v1/links/7" }, true],
    ["another route", { match: { routes: ["/v1/links/**"] } }, keyed, false],
    ["its plan", { match: { plans: ["paid", "free"] } }, keyed, true],
    ["another plan", { match: { plans: ["paid"] } }, keyed, false],
    ["with a key", { match: { authenticated: true } }, keyed, true],
    ["without a key, keyed", { match: { authenticated: false } }, keyed, false],
    ["keyless", { match: { authenticated: false }, countBy: ["ip"] }, keyless, true],
    [
      "a header value",
      { match: { headers: { "x-tier": ["beta", "rc"] } } },
      factsOf({ key: "k1", headers: { "x-tier": "rc" } }),
      true,
    ],
    [
      "another header value",
      { match: { headers: { "x-tier": ["beta"] } } },
      factsOf({ key: "k1", headers: { "x-tier": "ga" } }),
      false,
    ],
    ["a header that is missing", { match: { headers: { "x-tier": ["undefined"] } } }, keyed, false],
    [
      "any header value",
      { match: { headers: { "X-Tier": [] } } },
      factsOf({ key: "k1", headers: { "x-tier": "" } }),
      true,
    ],
    ["its addresses", { match: { ips: ["198.51.100.0/24"] } }, keyed, true],
    ["other addresses", { match: { ips: ["198.51.101.0/24"] } }, keyed, false],
    [
      "all of several",
      { match: { methods: ["GET"], plans: ["free"], ips: ["198.51.100.7"] } },
      keyed,
      true,
    ],
    [
      "not one of several",
      { match: { methods: ["GET"], plans: ["paid"], ips: ["198.51.100.7"] } },
      keyed,
      false,
    ],
  ])("%s", (_, fields, facts, expected) => {
    expect(isMatched(fields, facts)).toBe(expected);
  });
});

describe("countBy names the bucket", () => {
  const facts = factsOf({
    key: "k1",
    customer: "acme",
    plan: "free",
    ip: "2001:db8:7::1",
    route: "/v1/links/:id",
    headers: { "x-tenant": "a:b", "x-user": "" },
  });
  test.each<[string[], string, string[]]>([
    [["apiKey"], "key:k1", []],
    [["client"], "key:k1", []],
    [["customer"], "customer:acme", []],
    [["ip"], "ip:2001:db8:7::/64", []],
    [["plan"], "plan:free", []],
    [["global"], "global", []],
    [["route"], "global", ["route:/v1/links/:id"]],
    [["header:x-tenant"], "global", ["header:x-tenant:a:b"]],
    [["apiKey", "route"], "key:k1", ["route:/v1/links/:id"]],
    [["route", "apiKey"], "key:k1", ["route:/v1/links/:id"]],
    [["header:x-tenant", "ip"], "ip:2001:db8:7::/64", ["header:x-tenant:a:b"]],
    [["plan", "ip", "customer"], "customer:acme", ["ip:2001:db8:7::/64", "plan:free"]],
    [["header:x-user", "header:x-tenant"], "global", ["header:x-tenant:a:b", "header:x-user:"]],
  ])("%j is %s and %j", (countBy, principal, rest) => {
    const [matched] = index([tokenBucketRule({ countBy })]).match(facts);
    expect({ principal: matched?.principal, rest: matched?.rest }).toEqual({ principal, rest });
  });

  test("a client without a key is its address", () => {
    const [matched] = index([tokenBucketRule({ countBy: ["client"] })]).match(
      factsOf({ ip: "203.0.113.9" }),
    );
    expect(matched?.principal).toBe("ip:203.0.113.9");
  });

  test.each([[["apiKey"]], [["customer"]], [["header:x-tenant"]], [["ip", "header:x-tenant"]]])(
    "a rule by %j does not apply to a request without it",
    (countBy) => {
      expect(isMatched({ countBy }, factsOf({ ip: "203.0.113.9" }))).toBe(false);
    },
  );

  test("the word undefined is a value, a missing header is not", () => {
    const rule = { countBy: ["header:x-tenant"] };
    expect(isMatched(rule, factsOf({ headers: { "x-tenant": "undefined" } }))).toBe(true);
    expect(isMatched(rule, factsOf({}))).toBe(false);
  });
});

describe("the amount is the plan's", () => {
  const limit = {
    perPlan: {
      free: { rate: 60, per: "1m", burst: 60 },
      paid: { rate: 600, per: "1m", burst: 700 },
      enterprise: "unlimited" as const,
      gone: { rate: 1, per: "1m", burst: 1 },
    },
    anonymous: { rate: 20, per: "1m", burst: 20 },
    default: { rate: 30, per: "1m", burst: 30 },
  };
  const ruleset = index([tokenBucketRule({ countBy: ["client"], limit })], {
    plans: [
      ...bodyOf([]).plans,
      { id: "constructor", name: "Odd", rank: 3, description: "", protected: false },
    ],
  });
  test.each<[string, number | null]>([
    ["free", 60],
    ["paid", 700],
    ["enterprise", null],
    ["constructor", 30],
    ["gone", 30],
    ["never-heard-of", 30],
  ])("%s: burst %s", (plan, burst) => {
    const [matched] = ruleset.match(factsOf({ key: "k1", plan }));
    expect(matched === undefined ? null : quotaOf(matched.limit)).toBe(burst);
  });

  test("keyless traffic gets anonymous", () => {
    expect(firstQuota(ruleset.match(factsOf({})))).toBe(20);
  });

  test("a plan without an amount and without a default is not limited", () => {
    const rule = tokenBucketRule({
      limit: { perPlan: { paid: limit.default }, default: undefined },
    });
    expect(index([rule]).match(factsOf({ key: "k1", plan: "free" }))).toEqual([]);
  });

  test("an override beats the plan, also one that is unlimited", () => {
    const override = { rate: 5, per: "1m", burst: 9 };
    const facts = factsOf({ key: "k1", plan: "free", overrides: { "per-key-rate": override } });
    expect(firstQuota(ruleset.match(facts))).toBe(9);
    const free = factsOf({ key: "k1", plan: "free", overrides: { "per-key-rate": "unlimited" } });
    expect(ruleset.match(free)).toEqual([]);
  });

  test.each([[["global"]], [["plan"]], [["route"]]])(
    "one client's override does not resize a bucket that all share: %j",
    (countBy) => {
      const facts = factsOf({
        key: "k1",
        overrides: { "per-key-rate": { rate: 5, per: "1m", burst: 9 } },
      });
      expect(firstQuota(index([tokenBucketRule({ countBy })]).match(facts))).toBe(60);
    },
  );
});

describe("preflights", () => {
  const headers = { origin: "https://app.example.test", "access-control-request-method": "GET" };
  const preflight = factsOf({ key: "k1", method: "OPTIONS", headers });
  const plain = factsOf({ key: "k1", method: "OPTIONS" });
  const rules = [
    tokenBucketRule({ id: "all" }),
    tokenBucketRule({ id: "options", match: { methods: ["OPTIONS"] } }),
  ];
  const ids = (facts: RequestFacts, fields: Partial<Body> = {}) =>
    index(rules, fields)
      .match(facts)
      .map((matched) => matched.compiled.id);

  test("are exempt from rules that do not name OPTIONS", () => {
    expect(ids(preflight)).toEqual(["options"]);
    expect(ids(plain)).toEqual(["all", "options"]);
  });

  test("are ordinary requests when the settings say so", () => {
    const settings = { ...bodyOf([]).settings, exemptPreflight: false };
    expect(ids(preflight, { settings })).toEqual(["all", "options"]);
  });
});

describe("a version", () => {
  test("gives its rules ordered by id, off ones left out", () => {
    const rules = ["b", "c", "a", "a-1"].map((id) => tokenBucketRule({ id }));
    const ruleset = index([...rules, tokenBucketRule({ id: "aa", mode: "off" })]);
    expect(ruleset.match(factsOf({ key: "k1" })).map(({ compiled }) => compiled.id)).toEqual([
      "a",
      "a-1",
      "b",
      "c",
    ]);
    expect(ruleset.rules.map((rule) => rule.id)).toEqual(["a", "a-1", "b", "c"]);
  });

  test("names routes by its templates", () => {
    const ruleset = index([], { routes: ["/v1/links/:id"] });
    expect(ruleset.routeOf("/v1/links/7")).toBe("/v1/links/:id");
    expect(ruleset.routeOf("/x")).toBe("other");
  });

  test("takes over unchanged rules and compiles changed ones", () => {
    const body = bodyOf([tokenBucketRule({ id: "a" }), tokenBucketRule({ id: "b" })]);
    const first = compileRuleset(body, at);
    const next: Body = structuredClone(body);
    const changed = next.rules[1]?.live;
    if (changed === undefined) throw new Error("no rule b");
    changed.revision = 2;
    changed.rule.cost = 3;
    const second = compileRuleset(next, { ...at, version: 8 }, first);
    expect(second.rules[0]).toBe(first.rules[0]);
    expect(second.match(factsOf({ key: "k1" })).map(({ cost }) => cost)).toEqual([1, 3]);
    expect(first.match(factsOf({ key: "k1" })).map(({ cost }) => cost)).toEqual([1, 1]);
  });

  test("takes nothing over from another epoch, whose numbers mean other things", () => {
    const first = compileRuleset(bodyOf([tokenBucketRule({ cost: 1 })]), at);
    const second = compileRuleset(
      bodyOf([tokenBucketRule({ cost: 2 })]),
      { ...at, epoch: 2 },
      first,
    );
    expect(second.match(factsOf({ key: "k1" }))[0]?.cost).toBe(2);
  });

  test("compiles anew when case begins to matter", () => {
    const body = bodyOf([tokenBucketRule({ match: { routes: ["/V1/Login"] } })]);
    const first = compileRuleset(body, at);
    const settings = { ...body.settings, caseInsensitivePaths: true };
    const second = compileRuleset({ ...body, settings }, { ...at, version: 8 }, first);
    const path = canonicalPath("/V1/Login", { caseInsensitive: true });
    expect(second.match(factsOf({ key: "k1", path }))).toHaveLength(1);
  });
});

test("the index finds what a scan of all rules finds", () => {
  const method = fc.constantFrom("GET" as const, "POST" as const, "HEAD" as const);
  const rule = fc.record({
    methods: fc.option(fc.uniqueArray(method, { minLength: 1 }), { nil: undefined }),
    plans: fc.option(fc.constantFrom<string[]>(["free"], ["paid"]), { nil: undefined }),
    routes: fc.option(fc.constantFrom<string[]>(["/a/**"], ["/b"], ["/*/c"]), { nil: undefined }),
  });
  const request = fc.record({
    method: fc.constantFrom("GET", "POST", "HEAD", "DELETE"),
    plan: fc.constantFrom("free", "paid"),
    path: fc.constantFrom("/a", "/b", "/a/c", "/b/c", "/"),
  });
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), request, (matches, { method, plan, path }) => {
      const rules = matches.map((match, i) => tokenBucketRule({ id: `r${i}`, match }));
      const facts = factsOf({ key: "k1", method, plan, path });
      const scan = rules.filter((one) => isMatched({ id: one.id, match: one.match }, facts));
      expect(
        index(rules)
          .match(facts)
          .map(({ compiled }) => compiled.id),
      ).toEqual(scan.map(({ id }) => id).sort());
    }),
    { numRuns: 50 },
  );
});

function firstQuota([first]: readonly MatchedRule[]): number | null {
  return first === undefined ? null : quotaOf(first.limit);
}
