import { describe, expect, test } from "vitest";
import { ruleOf, tokenBucketRule } from "../testing/rules";
import { DEMO_CONTENT, INITIAL_CONTENT } from "./demo-ruleset";
import { lintContent } from "./lint";
import { ListsSchema } from "./list-entry";
import type { Rule } from "./rule";
import type { Content } from "./ruleset-objects";

type Fields = NonNullable<Parameters<typeof tokenBucketRule>[0]>;
const per = (rate: number, burst = rate) => ({ rate, per: "1m", burst });
const templates = ["/v1/links", "/v1/links/:id", "/files/**"];

function lint(rules: readonly Rule[], fields: Partial<Content> = {}, gateways = 0): string[] {
  const content = { ...INITIAL_CONTENT, routes: templates, rules: [...rules], ...fields };
  return lintContent(content, { gateways }).map(({ level, code, kind, id, path }) =>
    `${level} ${code} ${kind} ${id} ${path}`.trim(),
  );
}

test("a rule by the trusted header is no warning: nobody but a trusted hop can send it", () => {
  const rule = tokenBucketRule({ countBy: ["header:x-consumer"] });
  const identity = { ...INITIAL_CONTENT.settings.identity, trustedHeader: "x-consumer" };
  const settings = { ...INITIAL_CONTENT.settings, identity };
  const spoofable = "warning spoofable-header rule per-key-rate countBy.0";
  expect(lint([rule])).toContain(spoofable);
  expect(lint([rule], { settings })).not.toContain(spoofable);
});

test("the demo and the first version have no errors and no warnings", () => {
  for (const content of [DEMO_CONTENT, INITIAL_CONTENT]) {
    const levels = lintContent(content, { gateways: 2 }).map(({ level }) => level);
    expect(levels.filter((level) => level !== "info")).toEqual([]);
  }
});

describe("a rule", () => {
  test.each<[string, Fields, string]>([
    [
      "whose burst is below its cost",
      { cost: 3, limit: { default: per(60, 2) } },
      "error burst-below-cost rule per-key-rate limit.default.burst",
    ],
    [
      "whose burst for one plan is below its cost",
      { cost: 3, limit: { perPlan: { free: per(60, 2) } } },
      "error burst-below-cost rule per-key-rate limit.perPlan.free.burst",
    ],
    [
      "that names a plan that is not there",
      { limit: { perPlan: { fre: per(60) } } },
      "warning unknown-plan rule per-key-rate limit.perPlan.fre",
    ],
    [
      "that matches a plan that is not there",
      { match: { plans: ["free", "gold"] } },
      "warning unknown-plan rule per-key-rate match.plans.1",
    ],
    [
      "whose default catches plans",
      { limit: { perPlan: { free: per(60) } } },
      "info plans-by-default rule per-key-rate limit.default",
    ],
    [
      "that leaves plans out",
      { limit: { perPlan: { free: per(60) }, default: undefined } },
      "info plans-without-limit rule per-key-rate limit.perPlan",
    ],
    [
      "by API key for traffic without one",
      { match: { authenticated: false } },
      "warning limits-nobody rule per-key-rate limit",
    ],
    [
      "that is unlimited for all",
      { limit: { default: "unlimited" } },
      "warning limits-nobody rule per-key-rate limit",
    ],
    [
      "by a header",
      { countBy: ["ip", "header:x-tenant"] },
      "warning spoofable-header rule per-key-rate countBy.1",
    ],
    [
      "on a misspelt route",
      { match: { routes: ["/v1/links/**", "/v1/link/**"] } },
      "warning glob-without-template rule per-key-rate match.routes.1",
    ],
    [
      "with a star inside a segment",
      { match: { routes: ["/v1/li*"] } },
      "warning star-inside-segment rule per-key-rate match.routes.0",
    ],
  ])("%s", (_, fields, finding) => {
    expect(lint([tokenBucketRule(fields)])).toContain(finding);
  });

  test.each([
    "/v1/links/7",
    "/v1/links/*",
    "/v1/**",
    "/**",
    "/files/a/b",
    "/*/links",
    "/v1/links/:x",
  ])("on %s has a template", (route) => {
    const findings = lint([tokenBucketRule({ match: { routes: [route] } })]);
    expect(findings.filter((finding) => finding.includes("glob"))).toEqual([]);
  });

  test("by route needs templates", () => {
    const rule = tokenBucketRule({ countBy: ["apiKey", "route"] });
    const finding = "warning route-without-templates rule per-key-rate countBy.1";
    expect(lint([rule], { routes: [] })).toContain(finding);
    expect(lint([rule])).not.toContain(finding);
  });

  test("below the number of gateways lets more through while Redis is away", () => {
    const rule = tokenBucketRule({ limit: { default: per(60, 2) } });
    const finding = "warning burst-below-gateways rule per-key-rate limit.default.burst";
    expect(lint([rule], {}, 3)).toContain(finding);
    expect(lint([rule], {}, 2)).not.toContain(finding);
    expect(lint([{ ...rule, failMode: "open" }], {}, 3)).not.toContain(finding);
  });

  test("whose share is below its cost lets nothing through while Redis is away", () => {
    const content = { ...INITIAL_CONTENT, rules: [tokenBucketRule({ cost: 20 })] };
    const finding = lintContent(content, { gateways: 4 }).find(
      ({ code }) => code === "burst-below-gateways",
    );
    expect(finding?.message).toContain("while Redis is away no request passes");
  });
});

type LimitInput = Parameters<typeof ruleOf>[0];
const sliding = (rate: number): LimitInput => ({
  kind: "rate",
  algorithm: "sliding-window",
  default: { rate, per: "1m" },
});

describe("a rule of any kind", () => {
  test.each<[string, LimitInput, Parameters<typeof ruleOf>[1], string]>([
    [
      "whose window is below its cost",
      sliding(2),
      { cost: 3 },
      "error rate-below-cost rule per-key-rate limit.default.rate",
    ],
    [
      "whose month is below what most requests cost",
      { kind: "rate", algorithm: "fixed-window", perPlan: { free: { rate: 2, per: "1mo" } } },
      { cost: { routes: { "/v1/links": 1 }, default: 3 } },
      "error rate-below-cost rule per-key-rate limit.perPlan.free.rate",
    ],
    [
      "whose window is below the cost of one route",
      sliding(2),
      { cost: { routes: { "/v1/links": 3 }, default: 1 } },
      "warning rate-below-cost rule per-key-rate limit.default.rate",
    ],
    [
      "whose cost names a route that has no template",
      sliding(9),
      { cost: { routes: { "/v1/link": 3 }, default: 1 } },
      "warning cost-without-template rule per-key-rate cost.routes./v1/link",
    ],
    [
      "whose cost a header says",
      sliding(9),
      { cost: { header: "x-cost" } },
      "info cost-from-header rule per-key-rate cost.header",
    ],
    [
      "with fewer in flight than there are gateways",
      { kind: "concurrency", default: { concurrent: 2 } },
      {},
      "warning concurrent-below-gateways rule per-key-rate limit.default.concurrent",
    ],
    [
      "leased with too little to lease",
      { kind: "rate", algorithm: "token-bucket", default: per(60, 29) },
      { precision: "leased" },
      "warning leased-tiny-limit rule per-key-rate limit.default.burst",
    ],
    [
      "approximate, with its bound",
      sliding(60),
      { precision: "approximate" },
      "info approximate-bound rule per-key-rate limit.default.rate",
    ],
    [
      "that sheds what is never shed",
      { kind: "worker" },
      { priority: "critical" },
      "warning never-sheds rule per-key-rate priority",
    ],
    [
      "that keeps everything for critical requests",
      { kind: "fleet", capacity: 10, reserve: 100 },
      {},
      "warning sheds-all rule per-key-rate limit.reserve",
    ],
  ])("%s", (_, limit, fields, finding) => {
    expect(lint([ruleOf(limit, fields)], {}, 3)).toContain(finding);
  });

  const windows = (fields: object, countBy: Rule["countBy"] = ["ip"]) =>
    lint([
      ruleOf({ kind: "rate", algorithm: "sliding-window", ...fields } as LimitInput, { countBy }),
    ]).filter((finding) => finding.includes("windows-share-bucket"));
  const [minute, hour] = [
    { rate: 60, per: "1m" },
    { rate: 600, per: "1h" },
  ];

  test.each<[string, object, string]>([
    ["by plan", { perPlan: { paid: hour }, default: minute }, "limit.perPlan.paid.per"],
    [
      "by default",
      { perPlan: { free: minute, anonymous: minute }, default: hour },
      "limit.default.per",
    ],
    ["without a key", { anonymous: hour, default: minute }, "limit.anonymous.per"],
  ])("with windows of two lengths in one bucket, %s", (_, fields, path) => {
    expect(windows(fields)).toEqual([`warning windows-share-bucket rule per-key-rate ${path}`]);
  });

  test.each<[string, object, Rule["countBy"]?]>([
    [
      "lengths are the same, differently spelled",
      { perPlan: { paid: { rate: 9, per: "60s" } }, default: minute },
    ],
    [
      "each plan has buckets of its own",
      { perPlan: { paid: hour }, default: minute },
      ["ip", "plan"],
    ],
    ["it counts by key", { perPlan: { paid: hour }, default: minute }, ["client"]],
    ["the other plan is unlimited", { perPlan: { paid: "unlimited" }, default: minute }],
  ])("has windows that get on where %s", (_, fields, countBy) => {
    expect(windows(fields, countBy)).toEqual([]);
  });

  test("that sheds everything first is warned of, one that names what it sheds is not", () => {
    const shed = (fields: Parameters<typeof ruleOf>[1]) =>
      lint([ruleOf({ kind: "worker" }, fields)]).filter((finding) => finding.includes("catch-all"));
    const finding = "warning catch-all-low-priority rule per-key-rate priority";
    expect(shed({ priority: "test" })).toEqual([finding]);
    expect(shed({ priority: "sheddable", match: { routes: ["/**"] } })).toEqual([finding]);
    expect(shed({ priority: "normal" })).toEqual([]);
    expect(shed({ priority: "test", match: { routes: ["/v1/links/**"] } })).toEqual([]);
    expect(shed({ priority: "test", match: { authenticated: false } })).toEqual([]);
    expect(shed({ priority: "test", match: { headers: { "x-test": [] } } })).toEqual([]);
  });

  test("that is right has nothing to be found", () => {
    const rules = [
      ruleOf(sliding(60), { id: "a" }),
      ruleOf({ kind: "concurrency", default: { concurrent: 20 } }, { id: "b" }),
      ruleOf({ kind: "fleet", capacity: 1000 }, { id: "c", mode: "shadow" }),
      ruleOf({ kind: "worker" }, { id: "d", mode: "shadow" }),
    ];
    expect(lint(rules, {}, 3)).toEqual(["warning plan-without-limit plan anonymous"]);
  });

  test("a shedder limits no plan", () => {
    const findings = lint([ruleOf({ kind: "fleet", capacity: 1000 })]);
    expect(findings).toContain("info plan-without-limit plan free");
    expect(findings.filter((finding) => finding.includes("limits-nobody"))).toEqual([]);
  });

  test("the bound of an approximate rule is said", () => {
    const content = {
      ...INITIAL_CONTENT,
      rules: [ruleOf(sliding(60), { precision: "approximate" })],
    };
    const found = lintContent(content, { gateways: 4 }).find(
      ({ code }) => code === "approximate-bound",
    );
    expect(found?.message).toBe(
      "approximate: 4 gateways count alone between two syncs, so up to 4 times 60 in any 1m may pass at worst",
    );
  });
});

describe("two rules on the same requests", () => {
  const strict = tokenBucketRule({ id: "strict", limit: { default: per(10) } });
  const loose = tokenBucketRule({ id: "loose", limit: { default: per(60) } });
  const beaten = (rules: readonly Rule[]) =>
    lint(rules).filter((finding) => finding.includes("always-beaten"));

  test("one that always allows more never decides", () => {
    expect(beaten([loose, strict])).toEqual(["warning always-beaten rule loose limit"]);
  });

  test("in shadow it will report nothing new", () => {
    expect(beaten([{ ...loose, mode: "shadow" }, strict])).toEqual([
      "info always-beaten rule loose limit",
    ]);
  });

  test("of two equal ones the second never decides", () => {
    expect(beaten([loose, { ...loose, id: "again" }])).toEqual([
      "warning always-beaten rule again limit",
    ]);
  });

  test.each<[string, Rule]>([
    ["another match", { ...loose, match: { methods: ["GET"] } }],
    ["another countBy", { ...loose, countBy: ["ip"] }],
    ["a lower burst", tokenBucketRule({ id: "loose", limit: { default: per(60, 5) } })],
    [
      "one plan that gets less",
      tokenBucketRule({ id: "loose", limit: { perPlan: { paid: per(1) }, default: per(60) } }),
    ],
    ["a higher cost", { ...loose, cost: 2 }],
    ["a cost by route", { ...loose, cost: { routes: { "/v1/links": 9 }, default: 1 } }],
    ["another algorithm", ruleOf(sliding(60), { id: "loose" })],
    [
      "another calendar",
      ruleOf({ kind: "rate", algorithm: "fixed-window", default: { rate: 60, per: "1d" } }),
    ],
    ["a winner in shadow", { ...loose, mode: "off" }],
  ])("%s is no such pair", (_, rule) => {
    expect(beaten([rule, strict])).toEqual([]);
  });
});

describe("a ruleset", () => {
  test("with one id twice", () => {
    expect(lint([tokenBucketRule(), tokenBucketRule()])).toContain(
      "error same-id rule per-key-rate id",
    );
  });

  test("that leaves a plan, or traffic without a key, unlimited", () => {
    const findings = lint([tokenBucketRule({ limit: { perPlan: { enterprise: "unlimited" } } })]);
    expect(findings).toContain("info plan-without-limit plan enterprise");
    expect(findings).toContain("warning plan-without-limit plan anonymous");
  });

  test("whose settings name a plan that is not there", () => {
    const plans = INITIAL_CONTENT.plans.filter(({ id }) => id !== "free");
    expect(lint([], { plans })).toEqual([
      "warning unknown-plan settings settings incompleteDirectoryPlan",
    ]);
  });

  const lists = (input: unknown) => ({ lists: ListsSchema.parse(input) });
  const why = { reason: "why" };

  test.each<[string, Record<string, unknown[]>, string[]]>([
    [
      "a client on both allow and deny",
      { allow: [{ value: "::1", ...why }], deny: [{ value: "ip:::1", ...why }] },
      ["error in-two-lists lists deny 0.value", "warning part-of-client lists deny 0.value"],
    ],
    [
      "most of the internet refused, or exempt",
      { deny: [{ value: "0.0.0.0/0", ...why }], allow: [{ value: "10.0.0.0/8", ...why }] },
      ["warning wide-range lists allow 0.value", "warning wide-range lists deny 0.value"],
    ],
    [
      "less than a client of IPv6",
      {
        deny: [
          { value: "2001:db8::/64", ...why },
          { value: "2001:db8::1", ...why },
        ],
      },
      ["warning part-of-client lists deny 1.value"],
    ],
    [
      "no reason, said once",
      { deny: [{ value: "key:k1" }, { value: "key:k2" }, { value: "key:k3", ...why }] },
      ["info no-reason lists deny 0.value"],
    ],
    [
      "half of all addresses",
      { flood: [{ value: "0.0.0.0/0", perSecond: 50, ...why }] },
      ["info one-family lists flood 0.value"],
    ],
    [
      "nothing odd",
      {
        allow: [
          { value: "2001:db8::1", ...why },
          { value: "customer:acme", ...why },
        ],
        deny: [{ value: "198.51.100.0/24", ...why }],
        flood: ["0.0.0.0/0", "::/0"].map((value) => ({ value, perSecond: 50, ...why })),
      },
      [],
    ],
  ])("whose lists have %s", (_, input, expected) => {
    expect(lint([], lists(input))).toEqual(expected);
  });

  test("of 10,000 entries without a reason few are named, and all are counted", () => {
    const deny = Array.from({ length: 10_000 }, (_, i) => ({ value: `key:k${i}` }));
    const [finding] = lintContent({ ...INITIAL_CONTENT, ...lists({ deny }) });
    expect(finding?.message).toBe(
      "key:k0, key:k1, key:k2 and 9997 more have no reason: who comes next will not know why",
    );
  });

  test("with odd route templates, errors first", () => {
    expect(lint([], { routes: ["/a/:x", "/a/:y", "/b/*.json", "/**/c"] })).toEqual([
      "error template-rest-not-last routes routes 3",
      "warning template-twice routes routes 1",
      "warning star-inside-segment routes routes 2",
    ]);
  });
});

test("more than 32 rules on one request stop a publish", () => {
  const rules = Array.from({ length: 33 }, (_, i) => tokenBucketRule({ id: `r${i}` }));
  expect(lint(rules)).toContain("error too-many-rules rule r0 match");
  const found = lintContent({ ...INITIAL_CONTENT, rules }).find(
    ({ code }) => code === "too-many-rules",
  );
  expect(found?.message).toBe(
    "33 rules match one request, such as GET / on plan free: at most 32 are allowed, take some of them off it: r0, r1, r2, r3, r4 and 28 more",
  );
  expect(lint(rules.slice(1)).filter((finding) => finding.startsWith("error"))).toEqual([]);
});

test("a finding says what was found and what exists", () => {
  const rules = [tokenBucketRule({ limit: { perPlan: { fre: per(60) } } })];
  const finding = lintContent({ ...INITIAL_CONTENT, rules }).find(
    ({ code }) => code === "unknown-plan",
  );
  expect(finding?.message).toBe(
    'there is no plan "fre": free, paid, enterprise and anonymous exist',
  );
});
