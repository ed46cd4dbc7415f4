import { expect, test } from "vitest";
import { bodyOf, factsOf, ruleOf, tokenBucketRule } from "../testing/rules";
import { clientBuckets, viewBucket } from "./client-buckets";
import { compileRuleset } from "./compile-ruleset";
import { MICRO } from "./micro";
import { encodeRecords } from "./record";

const NOW_US = 1_770_000_000 * MICRO;
const KEY = { client: "key:k1", customer: "acme", plan: "free" } as const;
const CUSTOMER = { client: "customer:acme", customer: "acme", plan: "free" } as const;
const ADDRESS = { client: "ip:198.51.100.1", customer: null, plan: "anonymous" } as const;
const routes = ["/v1/messages", "/v1/links/:id"];

test("a client's buckets are those that gateways count its requests in", () => {
  const body = bodyOf(
    [
      ["apiKey"],
      ["client"],
      ["customer"],
      ["ip"],
      ["plan"],
      ["global"],
      ["apiKey", "route"],
      ["route", "customer"],
    ].map((countBy, i) => tokenBucketRule({ id: `rule-${i}`, countBy })),
    { routes },
  );
  const index = compileRuleset(body, { epoch: 1, version: 1, hash: "h" });
  for (const [known, who] of [
    [KEY, { key: "k1", customer: "acme" }],
    [ADDRESS, { ip: "198.51.100.1" }],
  ] as const) {
    const { buckets } = clientBuckets(body, known, []);
    const name = (of: { principal: string; rest: readonly string[] }, slot: number) =>
      [slot, of.principal, ...of.rest].join(" ");
    const named = new Set(buckets.map((bucket) => name(bucket, bucket.slot)));
    const met = [...routes, "other"].flatMap((route) =>
      index
        .match(factsOf({ ...who, route }))
        // Where a key's requests come from nobody knows.
        .filter(({ compiled }) => known !== KEY || !compiled.rule.countBy.includes("ip"))
        .map((matched) => name(matched, matched.compiled.slot)),
    );
    expect(named).toEqual(new Set(met));
  }
});

test("what cannot be named is said with its reason, not left out", () => {
  const rules = [
    tokenBucketRule({ id: "by-ip", countBy: ["ip"] }),
    tokenBucketRule({ id: "by-header", countBy: ["apiKey", "header:x-tenant"] }),
    tokenBucketRule({ id: "by-key", countBy: ["apiKey"] }),
  ];
  const ofKey = clientBuckets(bodyOf(rules), KEY, []);
  expect(ofKey.buckets.map(({ rule }) => rule)).toEqual(["by-key"]);
  expect(ofKey.unnamed).toMatchObject([
    { rule: "by-ip", why: expect.stringContaining("address") },
    { rule: "by-header", why: expect.stringContaining("x-tenant") },
  ]);
  const ofCustomer = clientBuckets(bodyOf(rules), CUSTOMER, []);
  expect(ofCustomer.buckets).toEqual([]);
  expect(ofCustomer.unnamed.map(({ rule }) => rule)).toEqual(["by-ip", "by-header", "by-key"]);
  // Of a rule that does not count it there is nothing to name.
  expect(clientBuckets(bodyOf(rules), ADDRESS, []).unnamed).toEqual([]);
  const unlimited = { client: "key:k1", rule: "by-header", limit: "unlimited" } as const;
  const { unnamed } = clientBuckets(bodyOf(rules), KEY, [unlimited]);
  expect(unnamed.map(({ rule }) => rule)).toEqual(["by-ip"]);
});

test("an override beats the plan, unlimited has no bucket, and a rule for other plans none", () => {
  const body = bodyOf([
    tokenBucketRule({ id: "raised" }),
    tokenBucketRule({ id: "free-of-it" }),
    tokenBucketRule({ id: "of-paid", match: { plans: ["paid"] } }),
  ]);
  const { buckets } = clientBuckets(body, KEY, [
    { client: "customer:acme", rule: "raised", limit: { rate: 600, per: "1m", burst: 900 } },
    { client: "key:k1", rule: "free-of-it", limit: "unlimited" },
  ]);
  expect(buckets).toMatchObject([{ rule: "raised", words: "600 per 1m, burst 900" }]);
});

test.each(["key:k1", "key:k2"] as const)("of a share, %s meets what gateways give it", (client) => {
  const body = bodyOf([]);
  const [live, candidate] = [60, 10].map((rate) =>
    tokenBucketRule({ limit: { default: { rate, per: "1m", burst: rate } } }),
  );
  body.rules = [
    {
      id: "per-key-rate",
      live: { revision: 1, slot: 1, rule: live ?? tokenBucketRule() },
      candidate: { revision: 2, slot: 2, rule: candidate ?? tokenBucketRule() },
      share: 50,
    },
  ];
  const index = compileRuleset(body, { epoch: 1, version: 1, hash: "h" });
  const met = index.match(factsOf({ key: client.slice("key:".length), customer: "acme" }));
  const { buckets } = clientBuckets(body, { ...KEY, client }, []);
  expect(buckets.map(({ slot, mode, lane }) => ({ slot, mode, lane }))).toEqual(
    met.map(({ compiled: { slot, mode, lane } }) => ({ slot, mode, lane })),
  );
});

test("what is kept is worked out to now; other slots, and what is over, are not this bucket", () => {
  const [bucket] = clientBuckets(bodyOf([tokenBucketRule()]), KEY, []).buckets;
  if (bucket === undefined) throw new Error("a rule by key has a bucket");
  const record = (slot: number, level: number, fullAt = NOW_US / MICRO + 60) => ({
    kind: "token-bucket" as const,
    slot,
    fullAt,
    state: { level: level * MICRO, timeUs: NOW_US - 2 * MICRO, previous: 0, leases: null },
  });
  const value = encodeRecords([record(7, 50), record(1, 0.5)]);
  expect(viewBucket(bucket, { value }, NOW_US)).toEqual({
    remaining: 2,
    resetMs: 0,
    used: 58,
    quota: 60,
    leased: 0,
    isKept: true,
  });
  const over = encodeRecords([record(1, 0, NOW_US / MICRO)]);
  for (const found of [over, encodeRecords([record(7, 0)]), null])
    expect(viewBucket(bucket, { value: found }, NOW_US)).toMatchObject({
      remaining: 60,
      used: 0,
      isKept: false,
    });
});

test("an empty bucket says when a token is there; requests in flight are counted", () => {
  const rules = [tokenBucketRule(), ruleOf({ kind: "concurrency", default: { concurrent: 3 } })];
  const [bucket, slots] = clientBuckets(
    bodyOf(rules.map((rule, i) => ({ ...rule, id: `r${i}` }))),
    KEY,
    [],
  ).buckets;
  if (bucket === undefined || slots === undefined) throw new Error("two rules, two buckets");
  const state = { level: 0, timeUs: NOW_US, previous: 0, leases: null };
  const value = encodeRecords([{ kind: "token-bucket", slot: 1, fullAt: 4e9, state }]);
  expect(viewBucket(bucket, { value }, NOW_US)).toMatchObject({ remaining: 0, resetMs: 1000 });
  expect(viewBucket(slots, { inFlight: 2 }, NOW_US)).toMatchObject({ remaining: 1, used: 2 });
});
