import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ruleOf, tokenBucketRule } from "../testing/rules";
import type { Rule } from "./rule";
import { isStricterOrEnforced, rulesStricterByPlans } from "./stricter";

type Fields = NonNullable<Parameters<typeof tokenBucketRule>[0]>;

const base: Fields = {
  match: { methods: ["GET", "POST"], headers: { "x-tier": ["beta", "rc"] } },
  countBy: ["apiKey", "route"],
  cost: 3,
  limit: {
    perPlan: { free: { rate: 60, per: "1m", burst: 60 }, enterprise: "unlimited" },
    anonymous: { rate: 20, per: "1m", burst: 20 },
    default: { rate: 30, per: "1m", burst: 30 },
  },
};
const before = tokenBucketRule(base);

function changed(fields: Fields): Rule {
  return tokenBucketRule({ ...base, ...fields, limit: { ...base.limit, ...fields.limit } });
}
const free = (rate: number, per: string, burst: number): Fields => ({
  limit: { perPlan: { free: { rate, per, burst }, enterprise: "unlimited" } },
});

describe("needs evidence", () => {
  test.each<[string, Fields, string]>([
    ["a lower rate", free(59, "1m", 60), "plan free: 60 per 1m → 59 per 1m, burst 60"],
    ["a lower burst", free(60, "1m", 59), "burst 1.02 times smaller"],
    ["a higher rate with a lower burst", free(600, "1m", 59), "rate 10 times looser, burst"],
    ["a higher number over a longer time", free(100, "2m", 100), "1.2 times stricter"],
    ["a rate lower by a hair", free(2_591_999, "30d", 60), "stricter"],
    [
      "a plan that falls to default",
      { limit: { perPlan: { enterprise: "unlimited" } } },
      "plan free: 60 per 1m → 30 per 1m",
    ],
    [
      "a plan taken out of default into less",
      { limit: { perPlan: { ...before.limit.perPlan, paid: { rate: 1, per: "1m", burst: 30 } } } },
      "plan paid: 30 per 1m",
    ],
    [
      "an unlimited plan that gets a limit",
      {
        limit: {
          perPlan: {
            ...before.limit.perPlan,
            enterprise: { rate: 1_000_000_000, per: "1s", burst: 1_000_000_000 },
          },
        },
      },
      "plan enterprise: unlimited →",
    ],
    [
      "a lower default",
      { limit: { default: { rate: 29, per: "1m", burst: 30 } } },
      "default: 30 per 1m → 29 per 1m, burst 30",
    ],
    [
      "anonymous that falls to nothing better",
      { limit: { anonymous: { rate: 20, per: "1m", burst: 19 } } },
      "plan anonymous",
    ],
    ["a higher cost", { cost: 4 }, "cost 3 → 4"],
    ["another method", { match: { ...before.match, methods: ["GET"] } }, "what it matches changes"],
    ["a condition that goes", { match: { methods: ["GET", "POST"] } }, "what it matches changes"],
    ["another countBy", { countBy: ["apiKey"] }, "what it counts by changes"],
    ["another fail mode", { failMode: "closed" }, "its fail mode changes"],
  ])("%s", (_, fields, why) => {
    const need = isStricterOrEnforced(before, changed(fields));
    expect(need.needsEvidence).toBe(true);
    expect(need.why).toContain(why);
  });

  test.each(["shadow", "off"] as const)("%s → enforce, also without another change", (mode) => {
    expect(isStricterOrEnforced(changed({ mode }), before)).toEqual({
      needsEvidence: true,
      why: `${mode} → enforce`,
    });
  });

  test("a new rule in enforce", () => {
    expect(isStricterOrEnforced(null, before).needsEvidence).toBe(true);
  });
});

describe("needs none", () => {
  test.each<[string, Fields]>([
    ["nothing changed", {}],
    ["another name", { name: "Other" }],
    ["another description", { description: "x" }],
    ["other meta", { meta: { owner: "dana" } }],
    ["a higher rate", free(61, "1m", 60)],
    ["a higher burst", free(60, "1m", 61)],
    ["the same amount in other words", free(3600, "1h", 60)],
    ["a rate that is higher over a longer time", free(121, "2m", 60)],
    [
      "a plan that becomes unlimited",
      { limit: { perPlan: { free: "unlimited", enterprise: "unlimited" } } },
    ],
    [
      "unlimited that falls to no limit at all",
      { limit: { perPlan: { free: { rate: 60, per: "1m", burst: 60 } }, default: undefined } },
    ],
    ["no more default", { limit: { default: undefined } }],
    ["anonymous that rises to default", { limit: { anonymous: undefined } }],
    ["a lower cost", { cost: 2 }],
    ["another priority, which only shedders ask for", { priority: "test" }],
    [
      "lists in another order",
      {
        match: { headers: { "x-tier": ["rc", "beta"] }, methods: ["POST", "GET"] },
        countBy: ["route", "apiKey"],
      },
    ],
    ["→ shadow, even with lower numbers", { ...free(1, "1h", 1), mode: "shadow" }],
    ["→ off", { mode: "off", countBy: ["ip"] }],
  ])("%s", (_, fields) => {
    expect(isStricterOrEnforced(before, changed(fields))).toEqual({
      needsEvidence: false,
      why: "",
    });
  });

  test("removal, and anything about a rule that was not enforced and is not", () => {
    expect(isStricterOrEnforced(before, null).needsEvidence).toBe(false);
    const shadow = changed({ mode: "shadow" });
    expect(isStricterOrEnforced(shadow, changed({ mode: "shadow", cost: 9 })).needsEvidence).toBe(
      false,
    );
    expect(isStricterOrEnforced(null, shadow).needsEvidence).toBe(false);
  });
});

type LimitInput = Parameters<typeof ruleOf>[0];
const sliding = (rate: number, per = "1m"): LimitInput => ({
  kind: "rate",
  algorithm: "sliding-window",
  default: { rate, per },
});
const fixed = (rate: number, per: string, timeZone = "UTC"): LimitInput => ({
  kind: "rate",
  algorithm: "fixed-window",
  timeZone,
  default: { rate, per },
});
const inFlight = (concurrent: number, lease = "30s"): LimitInput => ({
  kind: "concurrency",
  lease,
  default: { concurrent },
});
const fleet = (capacity: number, reserve = 20): LimitInput => ({
  kind: "fleet",
  capacity,
  reserve,
});
const worker = (maxDelayMs: number): LimitInput => ({ kind: "worker", maxDelayMs });

describe("of every kind", () => {
  test.each<[string, LimitInput, LimitInput, string]>([
    ["a smaller window", sliding(60), sliding(59), "60 in any 1m → 59 in any 1m, 1.02 times"],
    [
      "windows that do not nest",
      sliding(60),
      sliding(90, "90s"),
      "1.5 times more in one window, in windows that do not nest",
    ],
    ["the same over a longer window", sliding(60), sliding(60, "1h"), "60 times stricter"],
    ["another algorithm", sliding(60), fixed(60, "1m"), "its algorithm changes"],
    ["another kind", sliding(60), inFlight(60), "not comparable"],
    ["another time zone", fixed(60, "1d"), fixed(60, "1d", "Europe/Paris"), "its time zone"],
    ["a month for 30 days", fixed(60, "30d"), fixed(60, "1mo"), "1mo taken as 30.44 days"],
    ["fewer at the same time", inFlight(3), inFlight(2), "1.5 times stricter"],
    ["a longer lease", inFlight(3, "30s"), inFlight(3, "31s"), "its lease is longer"],
    ["less capacity", fleet(1000), fleet(999), "capacity 1000 → 999"],
    ["a larger reserve", fleet(1000, 20), fleet(1000, 21), "reserve 20 → 21"],
    ["less delay", worker(100), worker(99), "maxDelayMs 100 → 99"],
    ["a shedder of another kind", fleet(1000), worker(100), "its kind changes"],
  ])("%s needs evidence", (_, from, to, why) => {
    const need = isStricterOrEnforced(ruleOf(from), ruleOf(to));
    expect(need.why).toContain(why);
  });

  test.each<[string, LimitInput, LimitInput]>([
    ["a larger window", sliding(60), sliding(61)],
    ["as many in a shorter time", sliding(60, "1h"), sliding(60, "1m")],
    ["many whole windows in one", sliding(60), sliding(3600, "1h")],
    ["a month that holds any of its days", fixed(100, "1d"), fixed(3100, "1mo")],
    ["a day as large as its month", fixed(100, "1mo"), fixed(100, "1d")],
    ["more at the same time", inFlight(2), inFlight(3)],
    ["a shorter lease", inFlight(2), inFlight(2, "5s")],
    ["more capacity, a smaller reserve", fleet(1000, 20), fleet(1001, 0)],
    ["more delay", worker(100), worker(101)],
  ])("%s needs none", (_, from, to) => {
    expect(isStricterOrEnforced(ruleOf(from), ruleOf(to))).toEqual({
      needsEvidence: false,
      why: "",
    });
  });

  test("a shedder's requests that matter less, or more", () => {
    const normal = ruleOf(fleet(1000));
    const test = ruleOf(fleet(1000), { priority: "test" });
    expect(isStricterOrEnforced(normal, test).why).toBe("its priority changes");
  });

  type Cost = NonNullable<Fields["cost"]>;
  test.each<[string, Cost, Cost, boolean]>([
    ["a dearer route", 1, { routes: { "/v1/search": 5 }, default: 1 }, true],
    ["a cheaper route", 5, { routes: { "/v1/search": 1 }, default: 5 }, false],
    ["a route that falls to a dearer default", { routes: { "/a": 1 }, default: 5 }, 5, true],
    ["a cheaper default", { routes: { "/a": 1 }, default: 5 }, { routes: {}, default: 1 }, false],
    [
      "a route named constructor",
      { routes: {}, default: 1 },
      { routes: { "/constructor": 1 }, default: 1 },
      false,
    ],
    ["a header that says it", 5, { header: "x-cost", default: 1 }, true],
    ["another header", { header: "x-cost" }, { header: "x-price" }, true],
    [
      "less where the header is silent",
      { header: "x-cost", default: 3 },
      { header: "x-cost", default: 2 },
      false,
    ],
    [
      "more where the header is silent",
      { header: "x-cost", default: 2 },
      { header: "x-cost", default: 3 },
      true,
    ],
    ["no header any more, always 1", { header: "x-cost" }, 1, false],
    ["no header any more, always 2", { header: "x-cost", default: 2 }, 2, true],
  ])("cost: %s", (_, from, to, isDue) => {
    const need = isStricterOrEnforced(
      tokenBucketRule({ cost: from }),
      tokenBucketRule({ cost: to }),
    );
    expect(need.needsEvidence).toBe(isDue);
  });
});

const window = fc.record({
  rate: fc.integer({ min: 1, max: 50 }),
  per: fc.constantFrom("1s", "2s", "3s", "4s", "6s"),
});

test("windows that need no evidence refuse nothing that passed", () => {
  const stamps = fc.array(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 60 });
  /** Of requests at these seconds, each window of the length holds at most `rate`. */
  const fits = (seconds: readonly number[], { rate, per }: { rate: number; per: string }) => {
    const length = Number.parseInt(per, 10);
    const counts = new Map<number, number>();
    for (const at of seconds) {
      const start = Math.floor(at / length);
      counts.set(start, (counts.get(start) ?? 0) + 1);
    }
    return [...counts.values()].every((count) => count <= rate);
  };
  fc.assert(
    fc.property(window, window, stamps, (a, b, seconds) => {
      const from = ruleOf({ kind: "rate", algorithm: "fixed-window", default: a });
      const to = ruleOf({ kind: "rate", algorithm: "fixed-window", default: b });
      if (isStricterOrEnforced(from, to).needsEvidence) return;
      if (fits(seconds, a)) expect(fits(seconds, b)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

const amount = fc.record({
  rate: fc.integer({ min: 2, max: 1_000_000 }),
  per: fc.constantFrom("1s", "13s", "1m", "1h"),
  burst: fc.integer({ min: 2, max: 10_000 }),
});
const plan = fc.constantFrom("free", "enterprise", "paid");
const up = fc.integer({ min: 0, max: 1000 });
const rule = fc
  .record({ perPlan: fc.dictionary(plan, amount), anonymous: amount, default: amount })
  .map((limit) => tokenBucketRule({ limit }));

test("raising any number never needs evidence, lowering one always does", () => {
  fc.assert(
    fc.property(rule, up, up, (start, rate, burst) => {
      const raised = structuredClone(start);
      const { perPlan, anonymous, default: fallback } = raised.limit;
      for (const one of [...Object.values(perPlan), anonymous, fallback]) {
        if (one === undefined || one === "unlimited") continue;
        one.rate += rate;
        one.burst += burst;
      }
      expect(isStricterOrEnforced(start, raised).needsEvidence).toBe(false);
      expect(isStricterOrEnforced(raised, start).needsEvidence).toBe(rate > 0 || burst > 0);
    }),
  );
});

describe("a plan that is removed", () => {
  test("asks for evidence where its keys lose", () => {
    const needs = rulesStricterByPlans({ removed: ["free", "enterprise"] }, [before]);
    expect(needs.map(({ rule: id }) => id)).toEqual(["per-key-rate"]);
    expect(needs[0]?.why).toContain(
      "plan free is removed and its keys get default: 2 times stricter",
    );
    expect(needs[0]?.why).toContain("plan enterprise is removed");
  });

  test("asks for none where they gain, or where the rule does not refuse", () => {
    const loose = changed({ limit: { default: { rate: 600, per: "1m", burst: 600 } } });
    expect(rulesStricterByPlans({ removed: ["free", "paid"] }, [loose])).toEqual([]);
    const shadow = changed({ mode: "shadow" });
    expect(rulesStricterByPlans({ removed: ["free"] }, [shadow])).toEqual([]);
  });
});

describe("a plan that comes back", () => {
  test("asks for evidence where its keys, which had default, lose", () => {
    const strict = changed({ limit: { default: { rate: 600, per: "1m", burst: 600 } } });
    const needs = rulesStricterByPlans({ added: ["free", "enterprise", "new"] }, [strict]);
    expect(needs).toEqual([
      {
        rule: "per-key-rate",
        why: "plan free is added and its keys had default: 10 times stricter",
      },
    ]);
    expect(rulesStricterByPlans({ added: ["free", "enterprise"] }, [before])).toEqual([]);
  });
});
