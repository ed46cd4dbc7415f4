import { expect, test } from "vitest";
import { tokenBucket } from "@/lib/core/bucket";
import { RuleSchema } from "@/lib/core/rule";
import { bucketKey, limiterRule, stateKey } from "./state-key";

const tagOf = (key: string) => /\{([^}]*)\}/.exec(key)?.[1];

test.each([
  ["key:acme-1", "hg:demo:1:{key:acme-1}"],
  ["ip:198.51.100.7", "hg:demo:1:{ip:198.51.100.7}"],
  ["ip:2001:db8::/64", "hg:demo:1:{ip:2001:db8::/64}"],
  ["plan:constructor", "hg:demo:1:{plan:constructor}"],
  ["header:a}{b", "hg:demo:1:{header:a%7D%7Bb}"],
  ["header:100%7D", "hg:demo:1:{header:100%257D}"],
  ["header:é\n", "hg:demo:1:{header:%C3%A9%0A}"],
])("principal %j is kept under %s", (principal, key) => {
  expect(stateKey("demo", principal)).toBe(key);
});

test("a long or empty principal becomes a hash, short and not empty", () => {
  const long = "header:".padEnd(8192, "x");
  const key = stateKey("demo", long);
  expect(key).toMatch(/^hg:demo:1:\{#[0-9a-f]{32}\}$/);
  expect(stateKey("demo", `${long}y`)).not.toBe(key);
  expect(stateKey("demo", key.slice("hg:demo:1:{".length, -1))).not.toBe(key);
  expect(stateKey("demo", "")).toMatch(/\{#[0-9a-f]{32}\}$/);
});

test("a combination's key has its principal's tag, and different tuples never meet", () => {
  const tuples = [
    ["a:b", "c"],
    ["a", "b:c"],
    ["a|b", ""],
    ["a", "b|"],
    ["a}{b", "c"],
    ["", ""],
    [""],
    ["", "", ""],
    ["undefined", "c"],
    ["null", "c"],
    ["__proto__", "constructor"],
    ["toString", "c"],
    ["1:a", "c"],
    ["a", "c".repeat(8192)],
    ["a", "c".repeat(8193)],
  ];
  const keys = tuples.map((rest) => bucketKey("demo", { principal: "key:acme-1", slot: 7, rest }));
  expect(new Set(keys).size).toBe(tuples.length);
  for (const key of keys) {
    expect(key).toMatch(/^hg:demo:1:\{key:acme-1\}:7:[0-9a-f]{32}$/);
    expect(tagOf(key)).toBe(tagOf(stateKey("demo", "key:acme-1")));
  }
  const other = bucketKey("demo", { principal: "key:acme-1", slot: 8, rest: ["a:b", "c"] });
  expect(keys).not.toContain(other);
});

test("two keys that share their first characters have buckets of their own", () => {
  expect(stateKey("demo", "key:sk-live-000000000001")).not.toBe(
    stateKey("demo", "key:sk-live-000000000002"),
  );
});

test("what counts by nobody is spread by slot and rest, and cannot be named by a principal", () => {
  const one = bucketKey("demo", { principal: "global", slot: 1, rest: [] });
  const two = bucketKey("demo", { principal: "global", slot: 2, rest: [] });
  const route = bucketKey("demo", { principal: "global", slot: 1, rest: ["/v1/links/:id"] });
  expect([one, two]).toEqual(["hg:demo:1:{global:1}", "hg:demo:1:{global:2}"]);
  expect(route).toMatch(/^hg:demo:1:\{global:1:[0-9a-f]{32}\}$/);
  expect(new Set([one, two, route].map(tagOf)).size).toBe(3);
});

test("a matched rule becomes a check's rule with its role, bucket and fail mode", () => {
  const limit = tokenBucket({ rate: 60, per: "1m", burst: 60 });
  const rule = RuleSchema.parse({
    id: "per-key",
    name: "Per key",
    countBy: ["apiKey"],
    limit: { kind: "rate", algorithm: "token-bucket", default: "unlimited" },
    failMode: "closed",
  });
  const compiled = {
    id: "per-key",
    revision: 3,
    slot: 9,
    mode: "enforce",
    lane: "live",
    hasCandidate: false,
    rule,
  } as const;
  const matched = { compiled, principal: "key:acme-1", rest: [], limit, cost: 2 };
  const expected = {
    ruleId: "per-key",
    key: "hg:demo:1:{key:acme-1}",
    slot: 9,
    role: "enforced",
    limit,
    cost: 2,
    failMode: "closed",
    precision: "exact",
  };
  expect(limiterRule("demo", matched)).toEqual(expected);
  const shadow = { ...matched, compiled: { ...compiled, mode: "shadow" as const } };
  expect(limiterRule("demo", shadow)).toEqual({ ...expected, role: "shadow" });
});
