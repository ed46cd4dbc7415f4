import { afterEach, describe, expect, test } from "vitest";
import { ManualClock } from "../clock";
import { compileRuleset } from "../core/compile-ruleset";
import type { Priority, Rule } from "../core/rule";
import { bodyOf, factsOf, ruleOf } from "../testing/rules";
import { createShedderStates, type ShedderStates } from "./shedder-states";
import { createShedding } from "./shedding";

let open: ShedderStates | undefined;
afterEach(() => open?.close());

/** A gateway's shedders, with `random` always the same. */
function shedders(...first: Rule[]) {
  const clock = new ManualClock();
  let version = 0;
  const compile = (rules: Rule[]) => {
    version += 1;
    return compileRuleset(bodyOf(rules), { epoch: 1, version, hash: "h" });
  };
  let index = compile(first);
  const states = createShedderStates({ gatewayId: "gateway-a", rules: () => index, clock });
  open = states;
  const shedding = createShedding({ states, random: () => 0.5 });
  return {
    clock,
    states,
    shedding,
    publish: (...rules: Rule[]) => {
      index = compile(rules);
    },
    judge: (headers: Record<string, string> = {}) => shedding.judge(index, factsOf({ headers })),
    index: () => index,
  };
}

const fleet = (capacity: number) => ({ kind: "fleet", capacity, reserve: 0 }) as const;
const of = (priority: Priority) => ({ "x-priority": priority });
const byHeader = (priority: Priority, mode: Rule["mode"] = "enforce") =>
  ruleOf(fleet(1_000_000), {
    id: `is-${priority}`,
    priority,
    mode,
    match: { headers: { "x-priority": [priority] } },
  });

test("the fleet's bucket is spent by what passes, then refuses with a wait, and refills", () => {
  const { judge, clock } = shedders(ruleOf(fleet(8), { id: "fleet", priority: "normal" }));
  for (let i = 0; i < 4; i += 1) expect(judge()?.refusal).toBeNull();
  const refused = judge();
  expect(refused?.refusal).toEqual({ rule: "fleet", retryAfter: 2 });
  expect(refused?.outcomes).toEqual([{ allowed: false, resetMs: 0, retryAfterMs: 2000 }]);
  clock.advance(125);
  expect(judge()?.refusal).toBeNull();
  expect(judge()?.refusal).not.toBeNull();
});

test("a request has the most important priority that an enforced rule gives it", () => {
  const { judge } = shedders(
    ruleOf(fleet(8), { id: "fleet", priority: "test" }),
    byHeader("critical"),
    byHeader("sheddable"),
  );
  while (judge()?.refusal === null);
  expect(judge()?.refusal?.rule).toBe("fleet");
  expect(judge(of("sheddable"))?.refusal).toBeNull();
  expect(judge(of("sheddable"))?.refusal?.rule).toBe("fleet");
  for (let i = 0; i < 100; i += 1) expect(judge(of("critical"))?.refusal).toBeNull();
});

test("a rule in shadow refuses nothing, counts what it would have refused, and makes nothing pass", () => {
  const { judge, shedding } = shedders(
    ruleOf(fleet(8), { id: "watch", mode: "shadow" }),
    ruleOf(fleet(16), { id: "limit" }),
    byHeader("critical", "shadow"),
  );
  for (let i = 0; i < 4; i += 1)
    expect(judge()?.outcomes.map(({ allowed }) => allowed)).toEqual([true, true]);
  for (let i = 0; i < 4; i += 1) {
    const shed = judge(of("critical"));
    expect(shed?.refusal).toBeNull();
    expect(shed?.matched.map(({ compiled }) => compiled.id)).toEqual([
      "is-critical",
      "limit",
      "watch",
    ]);
    expect(shed?.outcomes.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  }
  expect(judge(of("critical"))?.refusal?.rule).toBe("limit");
  expect(shedding.counts()).toEqual([
    { rule: "watch", mode: "shadow", lane: "live", priority: "normal", count: 5 },
    { rule: "limit", mode: "enforce", lane: "live", priority: "normal", count: 1 },
  ]);
});

test("what one enforced rule refuses takes nothing from the others, nor from a rule in shadow", () => {
  const { judge, publish, states } = shedders(
    ruleOf(fleet(8), { id: "a-tight" }),
    ruleOf(fleet(16), { id: "b-wide" }),
    ruleOf(fleet(16), { id: "c-watch", mode: "shadow" }),
  );
  for (let i = 0; i < 20; i += 1) judge();
  publish(
    ruleOf(fleet(16), { id: "b-wide" }),
    ruleOf(fleet(16), { id: "c-watch", mode: "shadow" }),
  );
  // 8 tokens each at the start; 4 requests passed.
  for (let i = 0; i < 4; i += 1)
    expect(judge()?.outcomes.map(({ allowed }) => allowed)).toEqual([true, true]);
  expect(judge()?.outcomes.map(({ allowed }) => allowed)).toEqual([false, false]);
  expect(states.status().map(({ rule }) => rule)).toEqual(["b-wide", "c-watch"]);
});

test("what a later rule refuses gives back its token and its demand", () => {
  const { judge, states, clock } = shedders(ruleOf(fleet(8), { id: "fleet" }));
  for (let i = 0; i < 100; i += 1) {
    const shed = judge();
    expect(shed?.refusal).toBeNull();
    shed?.undo();
  }
  clock.advance(1000);
  expect(states.measure(1)?.get("fleet")?.normal).toBe(0);
});

test("a candidate lives in its own world, in place of its live revision, and refuses nothing", () => {
  const body = bodyOf([ruleOf(fleet(8), { id: "fleet" })]);
  for (const entry of body.rules)
    entry.candidate = { revision: 2, slot: 9, rule: ruleOf(fleet(16), { id: "fleet" }) };
  const index = compileRuleset(body, { epoch: 1, version: 1, hash: "h" });
  const states = createShedderStates({
    gatewayId: "gateway-a",
    rules: () => index,
    clock: new ManualClock(),
  });
  open = states;
  const shedding = createShedding({ states });
  // 4 tokens for the live revision, 8 for the candidate, who is charged also when only the live one refuses.
  const said = Array.from({ length: 9 }, () => shedding.judge(index, factsOf({})));
  const allowed = (lane: string) =>
    said.map((shed) => {
      const at = shed?.matched.findIndex(({ compiled }) => compiled.lane === lane) ?? -1;
      return shed?.outcomes[at]?.allowed;
    });
  expect(allowed("live")).toEqual([...Array(4).fill(true), ...Array(5).fill(false)]);
  expect(allowed("candidate")).toEqual([...Array(8).fill(true), false]);
  expect(said.map((shed) => shed?.refusal?.rule)).toEqual([
    ...Array(4).fill(undefined),
    ...Array(5).fill("fleet"),
  ]);
  expect([...(states.measure(1)?.keys() ?? [])]).toEqual(["fleet", "fleet candidate"]);
});

describe("over a publish", () => {
  test("tokens go on: a changed capacity, shadow to enforce", () => {
    const { judge, publish } = shedders(ruleOf(fleet(8), { id: "fleet", mode: "shadow" }));
    for (let i = 0; i < 4; i += 1) judge();
    publish(ruleOf(fleet(8), { id: "fleet" }));
    expect(judge()?.refusal?.rule).toBe("fleet");
    publish(ruleOf(fleet(800), { id: "fleet" }));
    expect(judge()?.refusal?.rule).toBe("fleet");
  });

  test("a request that is still judged by an older version meets only what both have", () => {
    const { judge, publish, index, shedding } = shedders(
      ruleOf(fleet(8), { id: "kept" }),
      ruleOf(fleet(8), { id: "gone" }),
    );
    const old = index();
    publish(ruleOf(fleet(8), { id: "kept" }));
    judge();
    const shed = shedding.judge(old, factsOf({}));
    expect(shed?.matched.map(({ compiled }) => compiled.id)).toEqual(["kept"]);
  });

  test("without shedders nothing is judged or exchanged any more", () => {
    const { judge, publish, states } = shedders(ruleOf(fleet(8), { id: "fleet" }));
    expect(states.measure(1)?.size).toBe(1);
    publish();
    expect(judge()).toBeNull();
    expect(states.measure(1)).toBeNull();
    expect(states.status()).toEqual([]);
  });
});

test("gateways that hear each other share by their demand", () => {
  const a = shedders(ruleOf(fleet(1000), { id: "fleet" }));
  const [b, third] = ["gateway-b#1", "gateway-c#1"];
  const demand = (normal: number) =>
    new Map([["fleet", { critical: 0, normal, sheddable: 0, test: 0 }]]);
  for (let second = 0; second < 4; second += 1) {
    a.clock.advance(1000);
    a.states.hear(a.states.name, demand(600));
    a.states.hear(b, demand(300));
    a.states.hear(third, demand(900));
  }
  const [status] = a.states.status();
  expect(status).toMatchObject({ gateways: 3, isAlone: false, demand: { normal: 1800 } });
  expect(status?.kind === "fleet" && Math.round(status.allotment)).toBe(333);
});
