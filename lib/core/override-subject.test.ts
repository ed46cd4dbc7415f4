import { describe, expect, test } from "vitest";
import { bodyOf, factsOf, ruleOf, tokenBucketRule } from "../testing/rules";
import { parseClientId } from "./client-id";
import { compileRuleset } from "./compile-ruleset";
import { type Amount, AmountSchema } from "./limit";
import { overrideMisfit } from "./override-subject";
import type { Rule } from "./rule";

const amount = (burst: number): Amount => ({ rate: 60, per: "1m", burst });

function limitOf(rule: Rule, facts: Parameters<typeof factsOf>[0]) {
  const index = compileRuleset(bodyOf([rule]), { epoch: 1, version: 1, hash: "h" });
  const [matched] = index.match(factsOf(facts));
  if (matched === undefined) return "none";
  const { limit } = matched;
  return limit.algorithm === "token-bucket" ? limit.burst : limit.quota;
}

describe("whose override a request gets", () => {
  const all = {
    key: "k1",
    overrides: { "per-key-rate": amount(1) },
    customerOverrides: { "per-key-rate": amount(2) },
    ipOverrides: { "per-key-rate": amount(3) },
  };
  const { overrides: _key, ...withoutKey } = all;
  const { customerOverrides: _customer, ...ipOnly } = withoutKey;

  test.each<[string[], number, number, number]>([
    [["apiKey"], 1, 2, 3],
    [["client"], 1, 2, 3],
    [["apiKey", "ip"], 1, 2, 3],
    [["customer"], 2, 2, 3],
    [["customer", "route"], 2, 2, 3],
    [["ip"], 3, 3, 3],
    [["route"], 60, 60, 60],
    [["plan"], 60, 60, 60],
    [["global"], 60, 60, 60],
  ])("by %j: key, customer, address", (countBy, key, customer, ip) => {
    const rule = tokenBucketRule({ countBy });
    expect([all, withoutKey, ipOnly].map((facts) => limitOf(rule, facts))).toEqual([
      key,
      customer,
      ip,
    ]);
  });

  test("without a key it is its address's", () => {
    const rule = tokenBucketRule({ countBy: ["client"] });
    expect(limitOf(rule, { overrides: { "per-key-rate": amount(7) } })).toBe(7);
  });

  test("one of another form is passed over, for the next and then for the plan", () => {
    const rule = ruleOf({ kind: "concurrency", default: { concurrent: 9 } });
    const overrides = { "per-key-rate": amount(1) };
    const customerOverrides: Record<string, Amount> = { "per-key-rate": { concurrent: 4 } };
    expect(limitOf(rule, { key: "k1", overrides, customerOverrides })).toBe(4);
    expect(limitOf(rule, { key: "k1", overrides })).toBe(9);
  });

  test("unlimited takes the rule off", () => {
    const customerOverrides: Record<string, Amount> = { "per-key-rate": "unlimited" };
    expect(limitOf(tokenBucketRule(), { key: "k1", customerOverrides })).toBe("none");
  });
});

describe("an override that gateways would ignore is refused with the reason", () => {
  const bucket = tokenBucketRule({ id: "r" });
  const sliding = ruleOf(
    { kind: "rate", algorithm: "sliding-window", default: { rate: 1, per: "1m" } },
    { id: "r" },
  );
  const byIp = tokenBucketRule({ id: "r", countBy: ["ip"] });
  const fleet = ruleOf({ kind: "fleet", capacity: 100 }, { id: "r" });
  const ok = { rate: 60, per: "1m", burst: 60 };

  test.each<[Rule, string, unknown, string | null]>([
    [bucket, "key:k1", ok, null],
    [bucket, "customer:acme", "unlimited", null],
    [byIp, "ip:198.51.100.7", ok, null],
    [byIp, "ip:2001:db8::/64", ok, null],
    [
      bucket,
      "key:k1",
      { rate: 60, per: "1m" },
      'limit: rule r is of kind token-bucket and takes "unlimited" or {rate, per, burst}, got {rate, per} with per 1m',
    ],
    [
      sliding,
      "key:k1",
      { rate: 60, per: "1mo" },
      'limit: rule r is of kind sliding-window and takes "unlimited" or {rate, per}, got {rate, per} with per 1mo',
    ],
    [
      sliding,
      "key:k1",
      { concurrent: 5 },
      'limit: rule r is of kind sliding-window and takes "unlimited" or {rate, per}, got {concurrent}',
    ],
    [
      fleet,
      "key:k1",
      "unlimited",
      "limit: rule r is of kind fleet and sheds by priority: it has no limit that an override could change",
    ],
    [
      byIp,
      "key:k1",
      ok,
      "client: rule r counts per IP address, in buckets that others share with key:k1: an override of it is for ip:<address>",
    ],
    [
      tokenBucketRule({ id: "r", countBy: ["customer"] }),
      "key:k1",
      ok,
      "client: rule r counts per customer, in buckets that others share with key:k1: an override of it is for customer:<id> or ip:<address>",
    ],
    [
      tokenBucketRule({ id: "r", countBy: ["global"] }),
      "customer:acme",
      ok,
      "client: rule r counts in total, in buckets that others share with customer:acme: no override changes it",
    ],
    [
      byIp,
      "ip:2001:db8::1",
      ok,
      "client: ip:2001:db8::1 is counted as ip:2001:db8::/64: give that",
    ],
    [
      byIp,
      "ip:198.51.100.0/24",
      ok,
      "client: ip:198.51.100.0/24 is a network: an override is for one address as it is counted",
    ],
    [
      byIp,
      "ip:2001:db8::/48",
      ok,
      "client: ip:2001:db8::/48 is a network: an override is for one address as it is counted",
    ],
  ])("%#", (rule, id, limit, expected) => {
    const client = parseClientId(id);
    if (client === null) throw new Error(`${id} is no client id`);
    const misfit = overrideMisfit(
      rule,
      { client, limit: AmountSchema.parse(limit) },
      { ipv6PrefixLength: 64 },
    );
    expect(misfit && `${misfit.path}: ${misfit.message}`).toBe(expected);
  });
});
