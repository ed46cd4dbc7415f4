import { expect, test } from "vitest";
import { bodyOf, factsOf, ruleOf, tokenBucketRule } from "../testing/rules";
import { compileRuleset } from "./compile-ruleset";
import { requiredFeatures, SUPPORTED_FEATURES } from "./features";
import type { Rule } from "./rule";

const fleet = { kind: "fleet", capacity: 1000 } as const;
const worker = { kind: "worker" } as const;
const compile = (rules: Rule[]) =>
  compileRuleset(bodyOf(rules), { epoch: 1, version: 1, hash: "h" });
const ids = (found: readonly { compiled: { id: string } }[] | undefined) =>
  found?.map(({ compiled }) => compiled.id);

test("shedders are found by their match and are no buckets", () => {
  const index = compile([
    ruleOf(worker, { id: "z-worker", match: { methods: ["GET"] } }),
    tokenBucketRule({ id: "m-rate" }),
    ruleOf(fleet, { id: "a-fleet", mode: "shadow" }),
    ruleOf(fleet, { id: "b-off", mode: "off" }),
    ruleOf(fleet, { id: "c-other", match: { routes: ["/v1/other"] } }),
  ]);
  const facts = factsOf({ key: "k1" });
  expect(ids(index.match(facts))).toEqual(["m-rate"]);
  expect(ids(index.shedders?.match(facts))).toEqual(["a-fleet", "z-worker"]);
  expect(ids(index.shedders?.match(factsOf({ method: "POST" })))).toEqual(["a-fleet"]);
  expect(ids(index.shedders?.rules)).toEqual(["a-fleet", "c-other", "z-worker"]);
  expect(ids(index.shedders?.rules.filter(({ limit }) => limit.kind === "worker"))).toEqual([
    "z-worker",
  ]);
});

test("a version without shedders has no index of them", () => {
  expect(compile([tokenBucketRule()]).shedders).toBeNull();
  expect(compile([ruleOf(fleet, { mode: "off" })]).shedders).toBeNull();
});

test("a preflight is shed only by a rule that names OPTIONS", () => {
  const index = compile([
    ruleOf(fleet, { id: "all" }),
    ruleOf(fleet, { id: "named", match: { methods: ["OPTIONS"] } }),
  ]);
  const headers = { origin: "https://a.example", "access-control-request-method": "POST" };
  expect(ids(index.shedders?.match(factsOf({ method: "OPTIONS", headers })))).toEqual(["named"]);
  expect(ids(index.shedders?.match(factsOf({ method: "OPTIONS" })))).toEqual(["all", "named"]);
});

test("a rule that did not change is the same object in the next version, so that its counts go on", () => {
  const body = bodyOf([ruleOf(fleet, { id: "a" })]);
  const first = compileRuleset(body, { epoch: 1, version: 1, hash: "h" });
  const next = compileRuleset(body, { epoch: 1, version: 2, hash: "h" }, first);
  expect(next.shedders?.rules[0]?.compiled).toBe(first.shedders?.rules[0]?.compiled);
});

test("a gateway that knows no shedders is told that it needs to", () => {
  const needed = requiredFeatures(
    bodyOf([ruleOf(fleet, { id: "a" }), ruleOf(worker, { id: "b" })]),
  );
  expect(needed).toEqual(["fleet", "worker"]);
  for (const feature of needed) expect(SUPPORTED_FEATURES).toContain(feature);
});
