import { expect, test } from "vitest";
import { bodyOf, ruleOf, tokenBucketRule } from "../testing/rules";
import { hitSentence, notLimitedSentence, type ToldHit } from "./client-answer";
import { ruleReasons } from "./client-reasons";
import type { KnownClient } from "./client-rules";

const KEY: KnownClient = { client: "key:k1", customer: "acme", plan: "free" };
const ADDRESS: KnownClient = { client: "ip:198.51.100.1", customer: null, plan: "anonymous" };

const hit: ToldHit = {
  atMs: Date.parse("2026-11-30T03:12:07.400Z"),
  ruleId: "per-key-rate",
  plan: "free",
  method: "GET",
  route: "/v1/messages",
  mode: "enforce",
  retryAfterSeconds: 1,
  rule: tokenBucketRule(),
  override: null,
  minute: { requests: 61, rejections: 1 },
};

test.each<[string, Partial<ToldHit>, string]>([
  [
    "a refusal",
    {},
    "free plan, 60 per 1m per API key: 61 requests in the minute 03:12 UTC, 1 of them refused; refused at 2026-11-30 03:12:07 UTC (GET /v1/messages); next at 03:12:08 UTC",
  ],
  [
    "one under an override",
    { override: { client: "key:k1", limit: { rate: 5, per: "1m", burst: 5 } }, minute: null },
    "override for key:k1, 5 per 1m per API key: refused at 2026-11-30 03:12:07 UTC (GET /v1/messages); next at 03:12:08 UTC",
  ],
  [
    "a cost above the burst",
    { retryAfterSeconds: null, minute: null },
    "free plan, 60 per 1m per API key: refused at 2026-11-30 03:12:07 UTC (GET /v1/messages); waiting does not help: one request costs more than the limit holds",
  ],
  [
    "shadow",
    { mode: "shadow", minute: null },
    "free plan, 60 per 1m per API key: would have been refused at 2026-11-30 03:12:07 UTC (GET /v1/messages); the rule only counts (shadow), so the request passed",
  ],
  [
    "a path that no template names",
    { route: "other", minute: null },
    "free plan, 60 per 1m per API key: refused at 2026-11-30 03:12:07 UTC (GET on a route without a name); next at 03:12:08 UTC",
  ],
  [
    "the deny list",
    { ruleId: "_deny", rule: null, retryAfterSeconds: null, minute: null },
    "on the deny list: refused at 2026-11-30 03:12:07 UTC (GET /v1/messages); waiting does not help: the entry has to go",
  ],
])("%s is one sentence with limit, time and what helps", (_name, fields, sentence) => {
  expect(hitSentence({ ...hit, ...fields })).toBe(sentence);
});

function whyNot(rules: Parameters<typeof bodyOf>[0], known = KEY, overrides = NONE) {
  const reasons = ruleReasons(bodyOf(rules), known, overrides);
  return notLimitedSentence({ ruling: null, reasons, hasShadowHits: false, loosened: AS_SAID });
}
const AS_SAID = { stops: [], localGateways: [] };
const NONE: Parameters<typeof ruleReasons>[2] = [];

test("why a client was not limited is the strongest reason there is", () => {
  const unlimited = tokenBucketRule({ limit: { perPlan: { free: "unlimited" } } });
  expect(whyNot([])).toBe("not limited: the live version has no rules");
  expect(whyNot([unlimited])).toBe("not limited: unlimited for plan free");
  const override = { client: "customer:acme", rule: "per-key-rate", limit: "unlimited" } as const;
  expect(whyNot([tokenBucketRule()], KEY, [override])).toBe(
    "not limited: unlimited by an override for customer:acme",
  );
  expect(whyNot([tokenBucketRule({ mode: "shadow" })])).toContain("only rules in shadow");
  expect(whyNot([tokenBucketRule({ match: { plans: ["paid"] } })])).toContain("no rule");
  expect(whyNot([tokenBucketRule()], ADDRESS)).toContain("no rule");
  expect(whyNot([tokenBucketRule()])).toContain("no refusal of it is in the log");
  const ruling = { list: "allow", value: "customer:acme" } as const;
  expect(
    notLimitedSentence({ ruling, reasons: [], hasShadowHits: false, loosened: AS_SAID }),
  ).toContain("allow list");
});

test("a stop in force, gateways without Redis and a share that leaves the client out are said", () => {
  const counted = ruleReasons(bodyOf([tokenBucketRule({ mode: "shadow" })]), KEY, NONE);
  const stop = { rules: ["per-key-rate"], words: "Dana stopped enforcing it: a storm" };
  const told = { ruling: null, hasShadowHits: true, reasons: counted };
  expect(notLimitedSentence({ ...told, loosened: { ...AS_SAID, stops: [stop] } })).toBe(
    "not limited: rule per-key-rate only counts, as Dana stopped enforcing it: a storm",
  );
  const enforced = ruleReasons(bodyOf([tokenBucketRule()]), KEY, NONE);
  const loosened = { stops: [], localGateways: ["gw-1", "gw-2"] };
  expect(notLimitedSentence({ ...told, reasons: enforced, loosened })).toBe(
    "not limited: no refusal of it is in the log that is kept; gateways gw-1 and gw-2 cannot reach Redis and limit by an own share of each limit",
  );
  const body = bodyOf([tokenBucketRule()]);
  const [entry] = body.rules;
  const rules = body.rules.map((each) => ({ ...each, candidate: entry?.live, share: 0.01 }));
  const reasons = ruleReasons({ ...body, rules } as typeof body, KEY, NONE);
  expect(reasons.find(({ lane }) => lane === "candidate")?.reason).toContain(
    "not among the 0.01 % that get the candidate enforced",
  );
});

test("each rule that was tried says whether it counts the client, and why", () => {
  const rules = [
    tokenBucketRule({ id: "all" }),
    tokenBucketRule({ id: "some", match: { methods: ["POST"], routes: ["/v1/**"] } }),
    tokenBucketRule({ id: "paid", match: { plans: ["paid"] } }),
    tokenBucketRule({ id: "keyless", match: { authenticated: false } }),
    tokenBucketRule({ id: "off", mode: "off" }),
    tokenBucketRule({ id: "tenant", countBy: ["apiKey", "header:x-tenant"] }),
    ruleOf({ kind: "worker", maxDelayMs: 200 }, { id: "shedder" }),
  ];
  const said = ruleReasons(bodyOf(rules), KEY, NONE).map(
    ({ rule, applies, reason }) => `${rule} ${applies}: ${reason}`,
  );
  expect(said).toEqual([
    "all always: 60 per 1m per API key by plan free",
    "some some: 60 per 1m per API key by plan free, only on POST /v1/**",
    "paid never: it is for plan paid, this client is on free",
    "keyless never: it is for requests without a key",
    "off never: it is off",
    "tenant some: 60 per 1m per API key and x-tenant header by plan free, only with header x-tenant",
    "shedder some: sheds normal requests while the gateway's event loop is more than 200 ms late, whoever asks",
  ]);
});
