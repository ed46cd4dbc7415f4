import { describe, expect, test } from "vitest";
import { seeded } from "../testing/random";
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { fieldErrors } from "./parse";
import { type ReadBody, readBodySteps } from "./read-body";
import { BodySchema } from "./ruleset";
import { runSteps } from "./steps";

const body = JSON.parse(
  JSON.stringify(bodyOf(Array.from({ length: 9 }, (_, i) => tokenBucketRule({ id: `r${i}` })))),
);
const { rules, ...others } = body;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const inSteps = (text: string, known?: ReadBody) => runSteps(readBodySteps(bytesOf(text), known));

function readOf(text: string, known?: ReadBody): ReadBody {
  const result = inSteps(text, known);
  if (!result.ok) throw new Error(result.message);
  return result.read;
}

test("read in steps a body is what the schema makes of it in one", () => {
  const less = { plans: [], rules: [] };
  for (const given of [body, less, { rules, ...others }])
    for (const text of [JSON.stringify(given), JSON.stringify(given, null, "\t")])
      expect(readOf(text)).toMatchObject({
        body: BodySchema.parse(given),
        list: { from: expect.any(Number) },
      });
});

test("whatever changes between two versions, the second is read as if alone, and what did not change is taken over", () => {
  const random = seeded(4);
  const pick = (below: number) => Math.floor(random() * below);
  const now = structuredClone(body);
  let known = readOf(JSON.stringify(now));
  let taken = 0;
  for (let i = 0; i < 300; i += 1) {
    const at = pick(now.rules.length);
    const fresh = structuredClone(rules[pick(rules.length)]);
    switch (pick(7)) {
      case 0:
        now.rules.splice(at, 0, { ...fresh, id: `new-${i}` });
        break;
      case 1:
        if (now.rules.length > 3) now.rules.splice(at, 1 + pick(3));
        break;
      case 2:
        now.rules[at].live.rule.name = `"Name\\ } ${i}, {`;
        break;
      case 3:
        now.rules.reverse();
        break;
      case 4:
        now.settings.exemptPreflight = random() < 0.5;
        break;
      case 5:
        now.rules[at].candidate = { ...now.rules[at].live, slot: 1000 + i, revision: i + 1 };
        break;
      case 6:
        now.plans[0].name = `Plan ${i} \u{1f6a6}`;
        break;
    }
    const next = readOf(JSON.stringify(now, null, pick(8) === 0 ? 1 : 0), known);
    expect(next.body).toEqual(BodySchema.parse(now));
    const before = new Set(known.body.rules);
    taken += next.body.rules.filter((entry) => before.has(entry)).length;
    known = next;
  }
  expect(taken).toBeGreaterThan(500);
});

test("one changed rule among others is the only one that is read", () => {
  const known = readOf(JSON.stringify(body));
  const next = structuredClone(body);
  next.rules[1].live.revision = 2;
  next.rules[1].live.rule.name = "Other";
  const read = readOf(JSON.stringify(next), known);
  expect(read.body).toEqual(BodySchema.parse(next));
  const same = read.body.rules.map((entry, i) => entry === known.body.rules[i]);
  expect(same).toEqual(rules.map((_: unknown, i: number) => i !== 1));
  expect(read.body.settings).toBe(known.body.settings);
});

describe("refused as the schema refuses it", () => {
  test.each([
    ["no object", null],
    ["no rules", { plans: [] }],
    ["rules that are no list", { ...body, rules: {} }],
    ["a strange member", { ...body, other: 1 }],
    ["a wrong plan", { ...body, plans: [{ id: "A B", name: "x" }] }],
    ["an id twice", { ...body, rules: [...rules, rules[3]] }],
    ["a wrong rule far behind", { ...body, rules: [...rules, { id: "x" }] }],
    ["a rule that is no object", { ...body, rules: [...rules, 7] }],
    [
      "a wrong number in a rule",
      { ...body, rules: [{ ...rules[0], live: { ...rules[0].live, slot: 0 } }] },
    ],
  ])("%s", (_, given) => {
    const { error } = BodySchema.safeParse(given);
    const [first] = error === undefined ? [] : fieldErrors(error);
    expect(inSteps(JSON.stringify(given))).toEqual({ ok: false, ...first });
    expect(inSteps(JSON.stringify(given), readOf(JSON.stringify(body)))).toEqual({
      ok: false,
      ...first,
    });
  });
});

const text = JSON.stringify(body);
const [first, second] = rules.map((rule: unknown) => JSON.stringify(rule));

test.each([
  ["cut off", text.slice(0, -1)],
  ["cut off in a rule", text.slice(0, text.indexOf(second) + 40)],
  ["no comma between two rules", text.replace(`${first},`, first)],
  ["a comma too many", text.replace(`${first},`, `${first},,`)],
  ["a comma at the end", text.replace(/\]\}$/, ",]}")],
  ["brackets that cross", text.replace(first, '{"id":[}]')],
  ["something behind it", `${text} x`],
  ["nothing", ""],
])("%s: what is no JSON is refused, also when most of it is known", (_, given) => {
  expect(() => JSON.parse(given)).toThrow();
  expect(inSteps(given)).toMatchObject({ ok: false });
  expect(inSteps(given, readOf(text))).toMatchObject({ ok: false });
});

test.each([
  ["before", text.replace("{", '{"rules":[],')],
  ["after", text.replace(/\}$/, ',"rules":[]}')],
  ["after, in another spelling", text.replace(/\}$/, ',"\\u0072ules":[]}')],
  ["before, in another spelling", text.replace("{", '{"\\u0072ules":[],')],
])("rules twice, %s: read as JSON.parse reads it", (_, given) => {
  const wanted = BodySchema.parse(JSON.parse(given));
  expect(readOf(given).body).toEqual(wanted);
  expect(readOf(given, readOf(text)).body).toEqual(wanted);
});
