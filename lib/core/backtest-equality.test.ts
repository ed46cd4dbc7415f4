import fc from "fast-check";
import { expect, test } from "vitest";
import { createBacktest } from "./backtest";
import type { BacktestRequest } from "./backtest-result";
import { canonicalPath } from "./canonical-path";
import { compileRuleset } from "./compile-ruleset";
import { decide } from "./decide";
import { ipClientId, parseIp } from "./ip";
import type { StateRecord } from "./record";
import { BodySchema } from "./ruleset";
import type { RequestFacts, RulesetIndex } from "./ruleset-index";

const START_MS = Date.UTC(2026, 2, 29, 0, 59);
const amount = (rate: number, burst: number) => ({ rate, per: "10s", burst });

const bucket = (rate: number, burst: number, more: object = {}) => ({
  kind: "rate",
  algorithm: "token-bucket",
  default: amount(rate, burst),
  ...more,
});

const RULES: [live: object, candidate?: object, share?: unknown][] = [
  [
    { id: "by-client", countBy: ["client"], mode: "enforce", limit: bucket(5, 3) },
    { id: "by-client", countBy: ["client"], mode: "enforce", limit: bucket(2, 2) },
    { free: 50, anonymous: 30 },
  ],
  [
    {
      id: "by-ip",
      countBy: ["ip"],
      mode: "enforce",
      limit: bucket(9, 9, { perPlan: { free: amount(4, 4), paid: "unlimited" } }),
    },
    { id: "by-ip", countBy: ["ip", "route"], mode: "enforce", limit: bucket(2, 2) },
  ],
  [
    {
      id: "links",
      countBy: ["route", "customer"],
      mode: "shadow",
      match: { routes: ["/v1/links/**"], methods: ["GET"] },
      limit: bucket(3, 2),
      cost: { routes: { "/v1/links/:id": 2 }, default: 1 },
    },
  ],
  [
    {
      id: "all",
      countBy: ["global"],
      mode: "shadow",
      limit: { kind: "rate", algorithm: "sliding-window", default: { rate: 30, per: "10s" } },
    },
  ],
  [
    {
      id: "hour",
      countBy: ["plan"],
      mode: "enforce",
      limit: {
        kind: "rate",
        algorithm: "fixed-window",
        timeZone: "Europe/Paris",
        default: { rate: 40, per: "1h" },
      },
    },
  ],
  [
    {
      id: "tenant",
      countBy: ["header:x-tenant"],
      mode: "enforce",
      match: { headers: { "x-tenant": [] } },
      limit: bucket(3, 3),
      cost: { header: "x-cost", default: 1 },
    },
  ],
  [
    {
      id: "office",
      countBy: ["ip"],
      mode: "enforce",
      match: { ips: ["2001:db8::/48"], authenticated: false },
      limit: bucket(2, 3),
    },
  ],
];

const index = compileRuleset(
  BodySchema.parse({
    routes: ["/v1/links/:id", "/v1/links"],
    plans: ["free", "paid"].map((id, rank) => ({ id, name: id, rank })),
    lists: {
      allow: [{ value: "ip:192.0.2.9", reason: "ours" }],
      deny: [{ value: "key:k3", reason: "abuse" }],
      flood: [],
    },
    rules: RULES.map(([rule, candidate, share], i) => ({
      id: (rule as { id: string }).id,
      live: { revision: 1, slot: 2 * i + 1, rule: { name: "n", ...rule } },
      ...(candidate !== undefined && {
        candidate: { revision: 2, slot: 2 * i + 2, rule: { name: "n", ...candidate } },
        share,
      }),
    })),
  }),
  { epoch: 1, version: 1, hash: "test" },
);

const SENDERS = [
  ...[
    "198.51.100.1",
    "198.51.100.2",
    "2001:db8::1",
    "2001:db8::2",
    "2001:db8:0:1::1",
    "192.0.2.9",
  ].map((ip) => ({ client: `ip:${ip}` as const, ip, plan: "anonymous" })),
  { client: "key:k1" as const, ip: "198.51.100.1", plan: "free" },
  { client: "key:k1" as const, ip: "198.51.100.2", plan: "free", customer: "acme" },
  { client: "key:k2" as const, ip: "198.51.100.1", plan: "paid", customer: "acme" },
  { client: "key:k3" as const, ip: "198.51.100.2", plan: "gone" },
];

const request = fc.record({
  sender: fc.constantFrom(...SENDERS),
  afterMs: fc.oneof(fc.constantFrom(0, 1, 1000), fc.integer({ min: 0, max: 1_500 })),
  method: fc.constantFrom("GET", "HEAD", "POST", "PURGE"),
  path: fc.constantFrom(
    "/v1/links/1",
    "/v1/links/2?a=/b",
    "/v1//links/../links/3",
    "/v1/links",
    "/x",
    "http://a.test/v1/links/4?c",
    "*",
  ),
  extra: fc.constantFrom<Partial<BacktestRequest>>(
    {},
    {},
    {},
    { headers: { "x-tenant": "a" } },
    { headers: { "x-tenant": "b" }, cost: 2 },
    { route: "/v1/links/:id" },
  ),
});

const requests = fc.array(request, { minLength: 30, maxLength: 150 });

test("a backtest decides every request as a gateway's matching and check would", () => {
  const seen = { refused: 0, wouldBe: 0 };
  fc.assert(
    fc.property(requests, fc.constantFrom(1, 10, 1_000), (drawn, bucketsMax) => {
      let atMs = START_MS;
      const requests = drawn.map(({ sender, afterMs, method, path, extra }): BacktestRequest => {
        atMs += afterMs;
        return { atMs, method, path, ...sender, ...extra };
      });
      const backtest = createBacktest(index, { topClients: 1000, bucketsMax, windowRequests: 5 });
      backtest.push(requests);
      const { requests: asked, rejections, listAllowed, listDenied, rules } = backtest.result();
      const expected = byHand(requests);
      expect({ asked, rejections, listAllowed, listDenied }).toEqual(expected.total);
      for (const { rule, lane, requests, rejections, alsoRefused, topClients } of rules) {
        const hand = expected.rules.get(`${lane} ${rule}`);
        expect({ rule, lane, requests, rejections, alsoRefused }).toEqual({
          rule,
          lane,
          ...(hand?.figures ?? { requests: 0, rejections: 0, alsoRefused: 0 }),
        });
        expect(
          new Map(
            topClients
              .filter((row) => row.rejections > 0)
              .map((row) => [`${row.client} ${row.plan}`, row.rejections]),
          ),
        ).toEqual(hand?.hits ?? new Map());
        seen.wouldBe += alsoRefused;
      }
      seen.refused += rejections;
    }),
    { numRuns: 60 },
  );
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(15);
});

type Hand = {
  figures: { requests: number; rejections: number; alsoRefused: number };
  hits: Map<string, number>;
};

/** The same requests one by one, with nothing remembered but the buckets. */
function byHand(requests: readonly BacktestRequest[]) {
  const records = new Map<string, StateRecord[]>();
  const total = { asked: 0, rejections: 0, listAllowed: 0, listDenied: 0 };
  const rules = new Map<string, Hand>();
  for (const request of requests) {
    const facts = factsOf(request, index);
    total.asked += 1;
    const list = index.lists.find(facts.identity)?.list;
    if (list === "allow") total.listAllowed += 1;
    if (list === "deny") {
      total.listDenied += 1;
      total.rejections += 1;
    }
    if (list !== undefined) continue;
    const matched = index.match(facts);
    const { decision, writes } = decide({
      rules: matched.map(({ compiled, principal, rest, limit, cost }) => ({
        ruleId: compiled.id,
        key: [compiled.slot, principal, ...rest].join(" "),
        slot: compiled.slot,
        role: compiled.mode === "enforce" ? ("enforced" as const) : ("shadow" as const),
        limit,
        cost: compiled.id === "tenant" ? (request.cost ?? cost) : cost,
      })),
      records,
      nowUs: request.atMs * 1000,
      source: "local",
    });
    for (const write of writes) records.set(write.key, write.records);
    if (decision.verdict === "refused") total.rejections += 1;
    for (const [i, { compiled }] of matched.entries()) {
      const name = `${compiled.lane} ${compiled.id}`;
      const hand = rules.get(name) ?? {
        figures: { requests: 0, rejections: 0, alsoRefused: 0 },
        hits: new Map(),
      };
      rules.set(name, hand);
      hand.figures.requests += 1;
      if (decision.perRule[i]?.allowed !== false) continue;
      const isAlso = decision.verdict === "refused" && compiled.mode === "shadow";
      hand.figures[isAlso ? "alsoRefused" : "rejections"] += 1;
      const who = `${facts.identity.client} ${request.plan}`;
      if (!isAlso) hand.hits.set(who, (hand.hits.get(who) ?? 0) + 1);
    }
  }
  return { total, rules };
}

function factsOf(request: BacktestRequest, { routeOf, settings }: RulesetIndex): RequestFacts {
  const { client, plan, customer, method, headers = {} } = request;
  const ip = parseIp(request.ip);
  if (ip === null) throw new Error(request.ip);
  const path = canonicalPath(request.path);
  const ipClient = ipClientId(ip, settings.ipv6PrefixLength);
  const authenticated = client.startsWith("key:");
  return {
    method,
    path,
    route: request.route ?? routeOf(path),
    header: (name) => headers[name],
    identity: {
      client: authenticated ? client : ipClient,
      authenticated,
      customer: authenticated ? (customer ?? client.slice("key:".length)) : null,
      plan,
      ip,
      ipClient,
    },
    override: () => null,
  };
}
