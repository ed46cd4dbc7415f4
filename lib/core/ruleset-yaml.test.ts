import { expect, test } from "vitest";
import { tokenBucketRule } from "../testing/rules";
import { BodySchema } from "./ruleset";
import { contentOf } from "./ruleset-objects";
import { readRuleset, sectionsOf, writeRuleset } from "./ruleset-yaml";

const STRANGE = ["no", "on", "1e3", "007", "null", "true", "0x1f", "12", "1-30"];

test("what is written is read as it was, whatever ids look like", () => {
  const rules = STRANGE.map((id) =>
    tokenBucketRule({
      id,
      name: `~ ${id}: #x`,
      match: { plans: STRANGE, headers: { "x-tier": ["007", "null", "1e3"] } },
      limit: { perPlan: Object.fromEntries(STRANGE.map((plan) => [plan, "unlimited"])) },
    }),
  );
  const plans = STRANGE.map((id, rank) => ({ id, name: id, rank }));
  const body = BodySchema.parse({ plans, rules: [], routes: ["/v1/007", "/v1/:id"] });
  const content = { ...contentOf(body), rules };
  const text = writeRuleset(sectionsOf(content));
  expect(readRuleset(text)).toEqual(JSON.parse(JSON.stringify(sectionsOf(content))));
  expect(readRuleset(`\uFEFF${text.replaceAll("\n", "\r\n")}`)).toEqual(readRuleset(text));
});

test("plain ids stay the text that was written", () => {
  const read = readRuleset(
    "plans:\n  no: {name: on}\n  007: {name: 1e3}\n  null: {name: x}\nrules:\n  - id: 0123\n    match: {plans: [no, 007, null], headers: {x-tier: [0x1f]}}\n    limit: {per: 1:30, perPlan: {007: {rate: 60}}}\n",
  );
  expect(read).toEqual({
    plans: { no: { name: "on" }, "007": { name: "1e3" }, null: { name: "x" } },
    rules: [
      {
        id: "0123",
        match: { plans: ["no", "007", "null"], headers: { "x-tier": ["0x1f"] } },
        limit: { per: "1:30", perPlan: { "007": { rate: 60 } } },
      },
    ],
  });
});

test("numbers stay what they are or are refused: text is text, other bases are named with their line", () => {
  expect(readRuleset('rules: [{id: a, cost: "60", burst: 1_000}]')).toEqual({
    rules: [{ id: "a", cost: "60", burst: "1_000" }],
  });
  expect(() => readRuleset("rules:\n  - id: a\n    cost: 0o17")).toThrow(
    /line 3: .*decimal, got 0o17/,
  );
  expect(() => readRuleset("rules: [{cost: .inf}]")).toThrow(/decimal, got \.inf/);
});

test.each([
  ["two documents", "rules: []\n---\nrules: []", /multiple documents/],
  ["a tab", "rules:\n\t- id: a", /[Tt]ab/],
  ["a doubled key", "rules: []\nrules: []", /unique/],
  ["a strange section", "rule: []", /settings, lists, routes, plans/],
  ["a list at the top", "- a", /settings, lists/],
  ["no YAML", "a: [", /this is not a ruleset/],
])("%s is refused in a sentence", (_, text, message) => {
  expect(() => readRuleset(text)).toThrow(message);
});

test("nothing, and honest anchors, work", () => {
  expect(readRuleset("")).toEqual({});
  const text = `settings: {x: &base {rate: 60, per: 1m}}\nrules:\n${Array.from({ length: 10 }, (_, i) => `  - {id: r${i}, <<: *base}\n`).join("")}`;
  expect(readRuleset(text).rules?.[9]).toEqual({ id: "r9", rate: 60, per: "1m" });
});

test("a bomb of nine levels of nine aliases is refused in under a second and 50 MB", () => {
  const levels = Array.from({ length: 9 }, (_, i) => {
    const inner = i === 0 ? Array(9).fill("lol") : Array(9).fill(`*l${i - 1}`);
    return `l${i}: &l${i} [${inner.join(", ")}]`;
  });
  const before = process.memoryUsage().heapUsed;
  const startMs = performance.now();
  expect(() => readRuleset(`${levels.join("\n")}\nrules: [*l8]`)).toThrow(/alias/i);
  expect(performance.now() - startMs).toBeLessThan(1000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50 * 1024 * 1024);
  expect(() => readRuleset("[".repeat(200_000))).toThrow(/not a ruleset/);
});
