import { expect, test } from "vitest";
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { fieldErrors } from "./parse";
import { BodySchema, readBodySteps } from "./ruleset";
import { runSteps } from "./steps";

const body = JSON.parse(
  JSON.stringify(bodyOf(Array.from({ length: 9 }, (_, i) => tokenBucketRule({ id: `r${i}` })))),
);

test("read in steps a body is what the schema makes of it in one", () => {
  expect(runSteps(readBodySteps(body))).toEqual({ ok: true, body: BodySchema.parse(body) });
  const less = { plans: [], rules: [] };
  expect(runSteps(readBodySteps(less))).toEqual({ ok: true, body: BodySchema.parse(less) });
});

test("a rule of a revision that is known is the known one, a changed one and one with a candidate are read", () => {
  const known = BodySchema.parse(body);
  const next = structuredClone(body);
  next.rules[1].live.revision = 2;
  next.rules[1].live.rule.name = "Other";
  next.rules[2].candidate = { ...next.rules[2].live, slot: 99, revision: 2 };
  const read = runSteps(readBodySteps(next, known));
  if (!read.ok) throw new Error(read.message);
  expect(read.body).toEqual(BodySchema.parse(next));
  expect(read.body.rules[0]).toBe(known.rules[0]);
  expect(read.body.rules[1]).not.toBe(known.rules[1]);
});

test.each([
  ["no object", null],
  ["no rules", { plans: [] }],
  ["rules that are no list", { ...body, rules: {} }],
  ["a strange member", { ...body, other: 1 }],
  ["a wrong plan", { ...body, plans: [{ id: "A B", name: "x" }] }],
  ["an id twice", { ...body, rules: [...body.rules, body.rules[3]] }],
  ["a wrong rule far behind", { ...body, rules: [...body.rules, { id: "x" }] }],
  [
    "a wrong number in a rule",
    { ...body, rules: [{ ...body.rules[0], live: { ...body.rules[0].live, slot: 0 } }] },
  ],
])("%s is refused as the schema refuses it", (_, given) => {
  const read = runSteps(readBodySteps(given));
  const { error } = BodySchema.safeParse(given);
  const [first] = error === undefined ? [] : fieldErrors(error);
  expect(read).toEqual({ ok: false, ...first });
});
