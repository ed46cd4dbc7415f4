import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyOf, ruleOf, tokenBucketRule } from "../testing/rules";
import { DEMO_CONTENT, INITIAL_CONTENT } from "./demo-ruleset";
import { diffBodies, diffContents, diffObject, summariseChanges } from "./diff";
import { diffRule } from "./diff-rule";
import { type ListName, ListsSchema } from "./list-entry";
import { canonicalJson } from "./revision-hash";
import { type Rule, RuleSchema } from "./rule";
import { BodySchema } from "./ruleset";

type Fields = NonNullable<Parameters<typeof tokenBucketRule>[0]>;
const per = (rate: number, time = "1m", burst = rate) => ({ rate, per: time, burst });

const limit = {
  perPlan: { free: per(60), enterprise: "unlimited" },
  anonymous: per(20),
  default: per(30),
};
const before = tokenBucketRule({ limit, mode: "shadow", match: { methods: ["GET"] } });

function changed(fields: Fields): Rule {
  return tokenBucketRule({
    mode: "shadow",
    match: { methods: ["GET"] },
    ...fields,
    limit: { ...limit, ...fields.limit },
  });
}

describe("a changed field is said in words", () => {
  test.each<[Fields, string, string, boolean]>([
    [
      { limit: { perPlan: { ...limit.perPlan, free: per(10, "1h") } } },
      "plan free: 60 per 1m → 10 per 1h: 360 times stricter",
      "stricter",
      true,
    ],
    [
      { limit: { perPlan: { ...limit.perPlan, free: per(90, "1m", 60) } } },
      "plan free: 60 per 1m → 90 per 1m, burst 60: 1.5 times looser",
      "looser",
      false,
    ],
    [
      { limit: { perPlan: { ...limit.perPlan, free: per(60, "1m", 6) } } },
      "plan free: 60 per 1m → 60 per 1m, burst 6: burst 10 times smaller",
      "stricter",
      true,
    ],
    [
      { limit: { perPlan: { ...limit.perPlan, free: per(120, "1m", 30) } } },
      "plan free: 60 per 1m → 120 per 1m, burst 30: rate 2 times looser, burst 2 times smaller",
      "mixed",
      false,
    ],
    [
      { limit: { perPlan: { ...limit.perPlan, free: per(60, "60s") } } },
      "plan free: 60 per 1m → 60 per 60s: the same amount",
      "same",
      false,
    ],
    [
      { limit: { perPlan: { enterprise: "unlimited" } } },
      "plan free: 60 per 1m → 30 per 1m (default): 2 times stricter",
      "stricter",
      false,
    ],
    [
      { limit: { perPlan: { ...limit.perPlan, paid: per(600) } } },
      "plan paid: 30 per 1m (default) → 600 per 1m: 20 times looser",
      "looser",
      true,
    ],
    [
      { limit: { perPlan: { ...limit.perPlan, enterprise: per(6000) } } },
      "plan enterprise: unlimited → 6000 per 1m: not limited before",
      "stricter",
      true,
    ],
    [
      { limit: { anonymous: undefined } },
      "without a key: 20 per 1m → 30 per 1m (default): 1.5 times looser",
      "looser",
      false,
    ],
    [
      { limit: { default: undefined } },
      "plans not named: 30 per 1m → no limit: no longer limited",
      "looser",
      true,
    ],
    [{ mode: "enforce" }, "mode shadow → enforce: it starts to refuse requests", "stricter", true],
    [{ mode: "off" }, "mode shadow → off: it does nothing", "other", false],
    [
      { countBy: ["ip", "route"] },
      "counts per API key → per IP address and route: counters restart",
      "other",
      true,
    ],
    [{ cost: 12 }, "cost 1 → 12: 12 times stricter", "stricter", true],
    [{ match: { methods: ["GET", "POST"] } }, "methods: adds POST", "stricter", false],
    [{ match: { methods: ["POST"] } }, "methods: adds POST, removes GET", "mixed", false],
    [{ match: {} }, "methods: only GET → every method", "stricter", false],
    [
      { match: { methods: ["GET"], routes: ["/v1/a"] } },
      "routes: every route → only /v1/a",
      "looser",
      false,
    ],
    [
      { match: { methods: ["GET"], authenticated: true } },
      "with or without a key → only with a key",
      "other",
      false,
    ],
    [
      { match: { methods: ["GET"], headers: { "x-tier": ["beta"] } } },
      "header x-tier: not looked at → beta",
      "other",
      false,
    ],
    [
      { match: { methods: ["GET"], headers: {} } },
      "headers: no condition, written in another way",
      "same",
      false,
    ],
    [{ name: "Other" }, 'name: "Requests per API key" → "Other"', "other", false],
    [{ description: "x" }, 'description: empty → "x"', "other", false],
    [{ failMode: "closed" }, 'failMode: "local" → "closed"', "other", false],
    [{ meta: { owner: "dana" } }, "meta: nothing → an object", "other", false],
  ])("%j", (fields, sentence, direction, loud) => {
    expect(diffRule(before, changed(fields))).toMatchObject([{ sentence, direction, loud }]);
  });

  test("countBy in another order keeps its counters", () => {
    const from = changed({ countBy: ["apiKey", "route"] });
    const change = diffObject(
      { kind: "rule", id: from.id, body: from },
      { kind: "rule", id: from.id, body: changed({ countBy: ["route", "apiKey"] }) },
    );
    expect(change).toMatchObject({ loud: false, countersRestart: false });
    expect(change?.diff).toMatchObject([{ path: "countBy", direction: "same" }]);
  });
});

type LimitInput = Parameters<typeof ruleOf>[0];
const fixed = (rate: number, time: string, zone = "UTC"): LimitInput => ({
  kind: "rate",
  algorithm: "fixed-window",
  timeZone: zone,
  default: { rate, per: time },
});
const sliding = (rate: number, time = "1m"): LimitInput => ({
  kind: "rate",
  algorithm: "sliding-window",
  default: { rate, per: time },
});
const inFlight = (concurrent: number, lease = "30s"): LimitInput => ({
  kind: "concurrency",
  lease,
  default: { concurrent },
});

describe("every kind's own fields are said in words", () => {
  test.each<[LimitInput, LimitInput, [string, string, boolean][]]>([
    [
      sliding(60),
      sliding(6),
      [["plans not named: 60 in any 1m → 6 in any 1m: 10 times stricter", "stricter", true]],
    ],
    [
      sliding(60),
      sliding(60, "60s"),
      [["plans not named: 60 in any 1m → 60 in any 60s: the same amount", "same", false]],
    ],
    [
      fixed(100, "1mo"),
      fixed(150, "1mo"),
      [
        [
          "plans not named: 100 per calendar month → 150 per calendar month: 1.5 times looser",
          "looser",
          false,
        ],
      ],
    ],
    [
      fixed(300_000, "30d"),
      fixed(300_000, "1mo"),
      [
        ["windows of 30d → 1mo: counters restart", "other", true],
        [
          "plans not named: 300000 per 30 calendar days → 300000 per calendar month: rate 1.01 times stricter, in windows that do not nest (1mo taken as 30.44 days)",
          "mixed",
          false,
        ],
      ],
    ],
    [
      fixed(100, "1d"),
      fixed(100, "1d", "Europe/Paris"),
      [["windows by the calendar of UTC → Europe/Paris: counters restart", "other", true]],
    ],
    [
      sliding(60, "1m"),
      fixed(60, "1m"),
      [
        ['limit.algorithm: "sliding-window" → "fixed-window": counters restart', "other", true],
        ["time zone UTC", "same", false],
      ],
    ],
    [
      sliding(60),
      inFlight(5),
      [
        ['limit.kind: "rate" → "concurrency": counters restart', "other", true],
        ['limit.algorithm: "sliding-window" → nothing: counters restart', "other", true],
        ['limit.lease: nothing → "30s"', "other", false],
        [
          "plans not named: 60 in any 1m → 5 at the same time: another kind of limit, not comparable",
          "mixed",
          false,
        ],
      ],
    ],
    [
      inFlight(20),
      inFlight(2, "10s"),
      [
        ["lease 30s → 10s: how long a dead gateway's requests count as in flight", "other", false],
        [
          "plans not named: 20 at the same time → 2 at the same time: 10 times stricter",
          "stricter",
          true,
        ],
      ],
    ],
    [
      { kind: "fleet", capacity: 1000, reserve: 20 },
      { kind: "fleet", capacity: 100, reserve: 30 },
      [
        ["capacity 1000 → 100 a second: 10 times stricter", "stricter", true],
        ["kept for critical requests 20 % → 30 %: stricter for the others", "stricter", false],
      ],
    ],
    [
      { kind: "worker", maxDelayMs: 100 },
      { kind: "worker", maxDelayMs: 150 },
      [["sheds above 100 → 150 ms delay: 1.5 times looser", "looser", false]],
    ],
  ])("%j → %j", (from, to, expected) => {
    const diff = diffRule(ruleOf(from), ruleOf(to));
    expect(diff.map(({ sentence, direction, loud }) => [sentence, direction, loud])).toEqual(
      expected,
    );
  });

  test.each<[Fields["cost"], Fields["cost"], [string, string][]]>([
    [
      1,
      { routes: { "/v1/search": 5 }, default: 1 },
      [["cost on /v1/search 1 → 5: 5 times stricter", "stricter"]],
    ],
    [
      { routes: { "/a": 5, "/b": 2 }, default: 1 },
      { routes: { "/b": 2 }, default: 3 },
      [
        ["cost on /a 5 → 3: 1.67 times looser", "looser"],
        ["cost elsewhere 1 → 3: 3 times stricter", "stricter"],
      ],
    ],
    [1, { routes: {}, default: 1 }, [["cost: 1 a request, written in another way", "same"]]],
    [
      2,
      { header: "x-cost" },
      [["cost: 2 a request → as header x-cost of a trusted hop says, else 1 a request", "mixed"]],
    ],
  ])("cost %j → %j", (from, to, expected) => {
    const diff = diffRule(tokenBucketRule({ cost: from }), tokenBucketRule({ cost: to }));
    expect(diff.map(({ sentence, direction }) => [sentence, direction])).toEqual(expected);
  });
});

describe("no phantom differences", () => {
  test("a rule and itself, read back with its fields in another order", () => {
    const reversed = Object.fromEntries(Object.entries(before).reverse());
    expect(diffRule(before, RuleSchema.parse(JSON.parse(JSON.stringify(reversed))))).toEqual([]);
  });

  test("defaults that are filled in are no change", () => {
    const written = { plans: [], rules: [] };
    const filled = BodySchema.parse(JSON.parse(JSON.stringify(BodySchema.parse(written))));
    expect(diffBodies(BodySchema.parse(written), filled)).toEqual([]);
  });

  test("other slots and revision numbers of the same rules are no change", () => {
    const renumbered = bodyOf([before]);
    for (const { live } of renumbered.rules) if (live !== undefined) live.slot += 40;
    expect(diffBodies(bodyOf([before]), renumbered)).toEqual([]);
  });
});

const fields = fc.record(
  {
    mode: fc.constantFrom("off" as const, "shadow" as const, "enforce" as const),
    countBy: fc.uniqueArray(fc.constantFrom("apiKey", "ip", "route"), { minLength: 1 }),
    cost: fc.integer({ min: 1, max: 3 }),
    name: fc.constantFrom("a", "b"),
    match: fc.record(
      {
        methods: fc.uniqueArray(fc.constantFrom("GET" as const, "POST" as const), { minLength: 1 }),
        plans: fc.constantFrom<string[]>(["free"], ["paid", "free"]),
        headers: fc.constantFrom({}, { "x-a": [] }, { "x-a": ["1"], "x-b": ["2"] }),
        authenticated: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    limit: fc.record(
      {
        perPlan: fc.constantFrom({}, { free: per(60) }, { free: per(60, "60s") }),
        anonymous: fc.constantFrom(per(1), "unlimited"),
      },
      { requiredKeys: [] },
    ),
    meta: fc.constantFrom({}, { a: 1 }, { a: { b: [1] } }),
  },
  { requiredKeys: [] },
);

test("two rules differ in the diff exactly when they differ, and the way back is as long", () => {
  fc.assert(
    fc.property(fields, fields, (a, b) => {
      const from = tokenBucketRule(a);
      const to = tokenBucketRule(b);
      const diff = diffRule(from, to);
      expect(diff.length > 0).toBe(canonicalJson(from) !== canonicalJson(to));
      expect(diffRule(to, from)).toHaveLength(diff.length);
      expect(new Set(diff.map(({ path }) => path)).size).toBe(diff.length);
    }),
  );
});

const anyLimit = fc.constantFrom<LimitInput>(
  sliding(60),
  sliding(60, "60s"),
  fixed(60, "1d"),
  fixed(60, "1mo"),
  fixed(60, "1mo", "Europe/Paris"),
  inFlight(5),
  inFlight(5, "10s"),
  { kind: "fleet", capacity: 10 },
  { kind: "fleet", capacity: 10, reserve: 0 },
  { kind: "worker" },
  { kind: "worker", maxDelayMs: 5 },
  { kind: "rate", algorithm: "token-bucket", default: per(60) },
);
const anyCost = fc.constantFrom<Fields["cost"]>(
  1,
  2,
  { routes: {}, default: 1 },
  { routes: { "/a": 1 }, default: 1 },
  { routes: { "/a": 2 } },
  { header: "x-a" },
  { header: "x-a", default: 2 },
);

test("so do two of different kinds or costs", () => {
  const rule = fc
    .tuple(anyLimit, anyCost)
    .map(([of, cost]) => ruleOf(of, of.kind === "rate" ? { cost } : {}));
  fc.assert(
    fc.property(rule, rule, (from, to) => {
      const diff = diffRule(from, to);
      expect(diff.length > 0).toBe(canonicalJson(from) !== canonicalJson(to));
      expect(new Set(diff.map(({ path }) => path)).size).toBe(diff.length);
    }),
  );
});

describe("between two versions", () => {
  test("objects are added, changed and removed", () => {
    const after = {
      ...DEMO_CONTENT,
      settings: { ...DEMO_CONTENT.settings, ipv6PrefixLength: 56 },
      routes: [...DEMO_CONTENT.routes, "/v1/new"],
      plans: DEMO_CONTENT.plans.filter(({ id }) => id !== "paid"),
      rules: DEMO_CONTENT.rules.flatMap((rule) => {
        if (rule.id === "anonymous-by-ip") return [];
        return [rule.id === "new-links-free" ? { ...rule, mode: "enforce" as const } : rule];
      }),
    };
    const changes = diffContents(DEMO_CONTENT, after);
    expect(changes.map(({ op, sentence, loud }) => ({ op, sentence, loud }))).toEqual([
      {
        op: "removed",
        loud: true,
        sentence:
          "removes rule anonymous-by-ip, which was enforced: 20 per 1m per IP address without a key",
      },
      {
        op: "changed",
        loud: true,
        sentence: "rule new-links-free: mode shadow → enforce: it starts to refuse requests",
      },
      {
        op: "removed",
        loud: true,
        sentence: "removes plan paid: its keys get each rule's default",
      },
      { op: "changed", loud: false, sentence: "routes: adds route template /v1/new" },
      { op: "changed", loud: false, sentence: "settings: ipv6PrefixLength: 64 → 56" },
    ]);
    expect(summariseChanges(changes)).toMatchObject({
      added: 0,
      changed: 3,
      removed: 2,
      loud: true,
      sentence:
        "1 rule changes, 1 rule is removed, 1 plan is removed, routes change, settings change",
    });
  });

  test("the first version adds its plans and rules, default settings are no change", () => {
    const changes = diffContents(null, INITIAL_CONTENT);
    expect(changes.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      "plan enterprise",
      "plan free",
      "plan paid",
    ]);
    expect(summariseChanges(diffContents(null, DEMO_CONTENT)).sentence).toBe(
      "3 rules are added, 3 plans are added, routes change, settings change",
    );
  });

  test("nothing is nothing", () => {
    expect(summariseChanges(diffContents(DEMO_CONTENT, DEMO_CONTENT)).sentence).toBe(
      "nothing changes",
    );
  });

  test("list entries are compared by what they are about", () => {
    const entry = (value: string, reason = "") => ({ value, reason });
    const change = diffObject(
      { kind: "lists", id: "deny", body: [entry("::a"), entry("::b"), entry("::c")] },
      {
        kind: "lists",
        id: "deny",
        body: [entry("::d", "scans"), entry("ip:::b", "why"), entry("::a")],
      },
    );
    expect(change?.diff.map(({ sentence }) => sentence)).toEqual([
      'deny entry ip:::b: reason empty → "why"',
      "removes deny entry ::c",
      "adds deny entry ::d (scans)",
    ]);
    expect(change?.sentence).toBe(
      'deny list: adds deny entry ::d (scans); deny entry ip:::b: reason empty → "why"; and 1 more',
    );
  });

  test.each<[ListName, unknown, unknown, string, string]>([
    ["deny", [], [{ value: "key:k1" }], "adds deny entry key:k1", "stricter loud"],
    ["deny", [{ value: "key:k1" }], [], "removes deny entry key:k1", "looser"],
    ["allow", [], [{ value: "key:k1" }], "adds allow entry key:k1", "looser"],
    ["allow", [{ value: "key:k1" }], [], "removes allow entry key:k1", "stricter loud"],
    ["deny", [{ value: "::1" }], [{ value: "ip:::1" }], "spells deny entry ::1 as ip:::1", "same"],
    [
      "flood",
      [],
      [{ value: "::/0", perSecond: 50 }],
      "adds flood entry ::/0: at most 50 a second of one address at a gateway",
      "stricter loud",
    ],
    [
      "flood",
      [{ value: "::/0", perSecond: 50 }],
      [{ value: "::/0", perSecond: 20 }],
      "flood entry ::/0: 50 → 20 requests a second: 2.5 times stricter",
      "stricter",
    ],
    [
      "flood",
      [{ value: "::/0", perSecond: 50 }],
      [{ value: "::/0", perSecond: 500 }],
      "flood entry ::/0: 50 → 500 requests a second: 10 times looser",
      "looser loud",
    ],
  ])("%s list, %j to %j: %s", (list, before, after, sentence, direction) => {
    const content = (entries: unknown) => ({
      ...INITIAL_CONTENT,
      lists: ListsSchema.parse({ [list]: entries }),
    });
    const [change] = diffContents(content(before), content(after));
    const [field] = change?.diff ?? [];
    expect(field?.sentence).toBe(sentence);
    expect(`${field?.direction}${field?.loud ? " loud" : ""}`).toBe(direction);
  });

  test("a list in another order says so", () => {
    const body = ["key:k1", "key:k2"].map((value) => ({ value, reason: "" }));
    const change = diffObject(
      { kind: "lists", id: "deny", body },
      { kind: "lists", id: "deny", body: body.toReversed() },
    );
    expect(change?.sentence).toBe("deny list: every deny entry as before, in another order");
  });
});
