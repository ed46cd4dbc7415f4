import fc from "fast-check";
import { expect, test } from "vitest";
import { bodyOf, factsOf, tokenBucketRule } from "../testing/rules";
import { compileRuleset } from "./compile-ruleset";
import { isInCidr, parseCidr } from "./ip";
import { type Match, METHODS } from "./rule";
import { compileRule } from "./rule-matcher";
import { type Body, BodySchema } from "./ruleset";
import type { MatchedRule, RequestFacts } from "./ruleset-index";
import { drawOf } from "./share";

/** What the index must find, by looking at every rule with nothing compiled. */
function scan(body: Body, facts: RequestFacts): MatchedRule[] {
  const plans = new Set<string>(body.plans.map(({ id }) => id));
  const isExempt =
    body.settings.exemptPreflight &&
    facts.method === "OPTIONS" &&
    facts.header("origin") !== undefined &&
    facts.header("access-control-request-method") !== undefined;
  const matched: MatchedRule[] = [];
  for (const { id, live, candidate, share } of [...body.rules].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  )) {
    const isOfShare = typeof share === "number" && drawOf(id, facts.identity.client) < share * 100;
    const lanes = [
      {
        lane: "live" as const,
        entry: isOfShare ? undefined : live,
        mode: live?.rule.mode ?? "off",
      },
      {
        lane: "candidate" as const,
        entry: candidate,
        mode: isOfShare ? ("enforce" as const) : ("shadow" as const),
      },
    ];
    for (const { lane, entry, mode } of lanes) {
      if (entry === undefined) continue;
      const { revision, slot, rule } = entry;
      if (rule.mode === "off" || mode === "off" || !fits(rule.match, facts, isExempt)) continue;
      const hasCandidate = candidate !== undefined;
      const compiled = { id, revision, slot, mode, lane, hasCandidate, rule };
      const bucket = compileRule(compiled, false).bucket(facts, plans);
      if (bucket !== null) matched.push(bucket);
    }
  }
  return matched;
}

function fits(match: Match, facts: RequestFacts, isExempt: boolean): boolean {
  const { methods, routes, plans, authenticated, headers, ips } = match;
  const { identity } = facts;
  const listed = facts.method === "HEAD" ? ["HEAD", "GET"] : [facts.method];
  const hasMethod = methods === undefined || methods.some((method) => listed.includes(method));
  if (!hasMethod || (isExempt && methods === undefined)) return false;
  if (plans !== undefined && !plans.some((plan) => plan === identity.plan)) return false;
  if (authenticated !== undefined && authenticated !== identity.authenticated) return false;
  if (routes !== undefined && !routes.some((glob) => expressionOf(glob).test(facts.path)))
    return false;
  for (const [name, values] of Object.entries(headers ?? {})) {
    const value = facts.header(name);
    if (value === undefined || (values.length > 0 && !values.includes(value))) return false;
  }
  const isWithin = (range: string) => {
    const cidr = parseCidr(range);
    return cidr !== null && isInCidr(identity.ip, cidr);
  };
  return ips === undefined || ips.some(isWithin);
}

function expressionOf(glob: string): RegExp {
  const parts = glob.split("/").filter((part) => part !== "");
  const source = parts.map((part) => {
    if (part === "**") return "(?:/[^/]+)*";
    return /^[*:]/.test(part) ? "/[^/]+" : `/${part}`;
  });
  if (parts.length === 0) return /^\/$/;
  return parts.every((part) => part === "**") ? /^\// : new RegExp(`^${source.join("")}$`);
}

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;

const PLANS = ["free", "paid", "anonymous", "constructor", "to-string", "gone"];
const AMOUNTS = [{ rate: 5, per: "1m", burst: 9 }, "unlimited"] as const;

/** Two times in three not there: a rule with every condition would fit next to nothing. */
const some = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: arbitrary });
const listOf = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.uniqueArray(arbitrary, { minLength: 1, maxLength: 3 });

const globs = fc
  .array(fc.constantFrom("a", "b", "*", "**", ":x"), { maxLength: 5 })
  .map((parts) => `/${parts.join("/")}`);
const paths = fc.oneof(
  { weight: 20, arbitrary: fc.array(fc.constantFrom("a", "b", "c", "*"), { maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constant(null) },
);
const headerNames = fc.oneof(
  fc.constantFrom("x-tier", "constructor", "origin"),
  fc.nat(19).map((n) => `x-${n}`),
);
const headerValues: fc.Arbitrary<string> = fc.constantFrom("", "a", "b", "undefined");
const acceptedValues = fc.uniqueArray(headerValues, { maxLength: 2 });
const addresses = fc.oneof(
  fc.tuple(fc.constantFrom(10, 198, 255), fc.constantFrom(0, 255), fc.nat(1), fc.nat(3)),
  fc.tuple(fc.constantFrom("2001:db8", "ffff:ffff", "::"), fc.constantFrom("0", "8000", "ffff")),
);
const addressText = addresses.map((parts) => {
  if (parts.length === 4) return parts.join(".");
  return parts[0] === "::" ? `::${parts[1]}` : `${parts[0]}:${parts[1]}::1`;
});
const ranges = addressText.chain((address) => {
  const bits = address.includes(":") ? [0, 1, 16, 33, 47, 64, 127, 128] : [0, 1, 8, 15, 24, 31, 32];
  return fc.constantFrom(address, ...bits.map((each) => `${address}/${each}`));
});

const rules = fc.record({
  match: fc.record({
    methods: some(listOf(fc.constantFrom(...METHODS))),
    routes: some(listOf(globs)),
    plans: some(listOf(fc.constantFrom(...PLANS))),
    authenticated: some(fc.boolean()),
    headers: some(fc.dictionary(headerNames, acceptedValues, { maxKeys: 2 })),
    ips: some(listOf(ranges)),
  }),
  countBy: fc.constantFrom<string[][]>(
    ["client"],
    ["apiKey", "route"],
    ["global"],
    ["header:x-tier", "plan"],
  ),
  mode: fc.constantFrom("enforce" as const, "shadow" as const, "off" as const),
  limit: fc.constantFrom(
    { perPlan: {} },
    { perPlan: { constructor: AMOUNTS[0], gone: AMOUNTS[0], free: AMOUNTS[1] } },
    { perPlan: { paid: AMOUNTS[0] }, anonymous: AMOUNTS[0], default: undefined },
  ),
  lanes: fc.constantFrom("live", "live", "live", "both", "candidate"),
});

const requests = fc.record({
  method: fc.constantFrom(...METHODS, "PROPFIND", "get"),
  path: paths.map((parts) => (parts === null ? "*" : `/${parts.join("/")}`)),
  plan: fc.constantFrom(...PLANS, "never-heard-of"),
  key: fc.constantFrom("k1", undefined),
  headers: fc.dictionary(
    fc.oneof(headerNames, fc.constant("access-control-request-method")),
    headerValues,
  ),
  listsHeaders: fc.boolean(),
  ip: addressText,
  overrides: fc.dictionary(fc.constantFrom("r0", "r1"), fc.constantFrom(...AMOUNTS)),
});

function bodyFrom(drawn: Drawn<typeof rules>[], exemptPreflight: boolean): Body {
  return bodyOf([], {
    plans: BodySchema.shape.plans.parse(
      PLANS.slice(0, -1)
        .filter((id) => id !== "anonymous")
        .map((id, rank) => ({ id, name: id, rank })),
    ),
    settings: { ...bodyOf([]).settings, exemptPreflight },
    rules: drawn.map(({ lanes, ...fields }, i) => {
      const id = `r${i}`;
      const revision = { revision: 1, slot: i + 1, rule: tokenBucketRule({ id, ...fields }) };
      const candidate = { ...revision, rule: tokenBucketRule({ id }), slot: 1000 + i };
      if (lanes === "live") return { id, live: revision };
      return lanes === "both"
        ? { id, live: revision, candidate, share: 50 }
        : { id, candidate, share: 0 };
    }),
  });
}

function factsFrom({ headers, listsHeaders, ...drawn }: Drawn<typeof requests>): RequestFacts {
  const { key, ...rest } = drawn;
  const facts = factsOf(key === undefined ? rest : { ...rest, key });
  return {
    ...facts,
    header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
    ...(listsHeaders ? { headerNames: () => Object.keys(headers) } : {}),
  };
}

/** Every rule with several conditions of few values, so that one condition does not tell them apart. */
const denseRules = fc
  .record({
    plan: fc.constantFrom("free", "paid", "constructor"),
    range: fc.constantFrom("10.0.0.0/8", "10.0.0.0/31", "2001:db8::/32", "0.0.0.0/0"),
    tier: fc.constantFrom<string[][]>([], ["a"], ["", "b"]),
    globs: some(
      fc.constantFrom<string[][]>(["/**"], ["/a/**", "/**/b/**/a"], ["/*", "/a", "/b/**"]),
    ),
    authenticated: some(fc.boolean()),
  })
  .map(
    ({ plan, range, tier, globs: routes, authenticated }): Drawn<typeof rules> => ({
      match: {
        methods: undefined,
        routes,
        plans: [plan],
        authenticated,
        headers: { "x-tier": tier },
        ips: [range],
      },
      countBy: ["client"],
      mode: "enforce",
      limit: { perPlan: {} },
      lanes: "live",
    }),
  );

test.each([
  ["rules of all sorts", rules, 40],
  ["rules much alike", denseRules, 150],
])("the index finds what a scan of every rule finds, in its order: %s", (_, rule, maxLength) => {
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength, size: "max" }),
      fc.array(requests, { minLength: 1, maxLength: 15, size: "max" }),
      fc.boolean(),
      (drawn, asked, exemptPreflight) => {
        const body = bodyFrom(drawn, exemptPreflight);
        const index = compileRuleset(body, { epoch: 1, version: 1, hash: "h" });
        const next = compileRuleset(body, { epoch: 1, version: 2, hash: "h" }, index);
        for (const facts of asked.map(factsFrom)) {
          const expected = scan(body, facts);
          expect(index.match(facts)).toEqual(expected);
          expect(next.match(facts)).toEqual(expected);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("of many header names only the request's own are looked up", () => {
  const drawn = Array.from({ length: 40 }, (_, i) =>
    tokenBucketRule({ id: `r${i}`, match: { headers: { [`x-${i}`]: i % 2 === 0 ? [] : ["on"] } } }),
  );
  const index = compileRuleset(bodyOf(drawn), { epoch: 1, version: 1, hash: "h" });
  const headers: Record<string, string> = { host: "a", "x-6": "", "x-7": "off", "x-9": "on" };
  const asked: string[] = [];
  const header = (name: string) => {
    asked.push(name);
    return headers[name];
  };
  const facts = { ...factsOf({ key: "k1" }), header };
  const idsOf = (request: RequestFacts) => index.match(request).map(({ compiled }) => compiled.id);
  expect(idsOf({ ...facts, headerNames: () => Object.keys(headers) })).toEqual(["r6", "r9"]);
  expect(asked).toEqual(["x-6", "x-7", "x-9"]);
  expect(idsOf(facts)).toEqual(["r6", "r9"]);
});

test("a long path cannot make a thousand globs slow", () => {
  const drawn = Array.from({ length: 1000 }, (_, i) =>
    tokenBucketRule({ id: `r${i}`, match: { routes: [`/**/a/${"**/a/".repeat(i % 5)}x${i}`] } }),
  );
  const index = compileRuleset(bodyOf(drawn), { epoch: 1, version: 1, hash: "h" });
  const facts = factsOf({ key: "k1", path: `/${"a/".repeat(4000)}x7` });
  const startedAt = performance.now();
  expect(index.match(facts).map(({ compiled }) => compiled.id)).toEqual(["r7"]);
  expect(performance.now() - startedAt).toBeLessThan(2000);
});
