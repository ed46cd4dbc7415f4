import { expect, test } from "vitest";
import { diffRule } from "./diff-rule";
import { requiredFeatures } from "./features";
import type { HeaderField } from "./headers";
import { inMode, RuleSchema } from "./rule";
import { BodySchema } from "./ruleset";
import { withWarning } from "./warning-header";

const LIMIT: readonly HeaderField[] = [
  ["RateLimit", '"other";r=1;t=0'],
  ["Access-Control-Expose-Headers", "RateLimit"],
];
const links = { ruleId: "links", resetMs: 200, retryAfterMs: 11_200 };
const never = { ruleId: "search", resetMs: 0, retryAfterMs: null };

test("what would be refused is one more field, and its name one more that scripts may read", () => {
  expect(withWarning(LIMIT, [links, never], { expose: true })).toEqual([
    ["RateLimit", '"other";r=1;t=0'],
    ["X-RateLimit-Warning", '"links";would-reject;t=12, "search";would-reject'],
    ["Access-Control-Expose-Headers", "RateLimit, X-RateLimit-Warning"],
  ]);
  expect(withWarning([], [links], { expose: true })).toEqual([
    ["X-RateLimit-Warning", '"links";would-reject;t=12'],
    ["Access-Control-Expose-Headers", "X-RateLimit-Warning"],
  ]);
  expect(withWarning([], [links], { expose: false })).toEqual([
    ["X-RateLimit-Warning", '"links";would-reject;t=12'],
  ]);
  expect(withWarning(LIMIT, [], { expose: true })).toBe(LIMIT);
});

const fields = {
  id: "links",
  name: "Links",
  countBy: ["apiKey"],
  limit: { kind: "rate", algorithm: "token-bucket", default: { rate: 1, per: "1m", burst: 1 } },
};

test("a rule warns in shadow only; elsewhere, and of a shedder, it is refused in a sentence", () => {
  const messages = (more: object) =>
    RuleSchema.safeParse({ ...fields, ...more }).error?.issues.map(({ message }) => message);
  expect(messages({ warn: true })).toBeUndefined();
  expect(messages({ mode: "enforce", warn: true })).toEqual([
    "warn is only of mode shadow, got mode enforce",
  ]);
  expect(messages({ mode: "off", warn: true })).toEqual([
    "warn is only of mode shadow, got mode off",
  ]);
  const shedder = { countBy: ["global"], limit: { kind: "worker", maxDelayMs: 100 }, warn: true };
  expect(messages(shedder)).toEqual([
    "a worker rule warns nobody: it is about no client, got warn true",
  ]);
  expect(messages({ warn: "yes" })).toEqual(['warn must be true or false, got "yes"']);
});

test("not warning is one content, said or left out, and no other mode takes a warning along", () => {
  const plain = RuleSchema.parse(fields);
  expect(RuleSchema.parse({ ...fields, warn: false })).toEqual(plain);
  const warning = RuleSchema.parse({ ...fields, warn: true });
  expect(inMode(warning, "enforce")).toEqual({ ...plain, mode: "enforce" });
  expect(inMode(warning, "shadow")).toEqual(warning);
  expect(diffRule(plain, warning).map(({ sentence }) => sentence)).toEqual([
    "warn off → on: clients are warned: a header says what would be refused",
  ]);
});

test("a gateway that cannot warn is told by name, and only where a rule warns", () => {
  const bodyOf = (rule: object) =>
    BodySchema.parse({
      settings: {},
      plans: [],
      rules: [{ id: "links", live: { revision: 1, slot: 1, rule: { ...fields, ...rule } } }],
    });
  expect(requiredFeatures(bodyOf({ warn: true }))).toEqual(["rate/token-bucket", "warn"]);
  expect(requiredFeatures(bodyOf({}))).toEqual(["rate/token-bucket"]);
});
