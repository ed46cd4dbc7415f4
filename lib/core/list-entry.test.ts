import { describe, expect, test } from "vitest";
import { LIST_ENTRIES_MAX, ListsSchema } from "./list-entry";
import { fieldErrors, parseInput } from "./parse";

const parse = (lists: unknown) => parseInput(ListsSchema, lists, "the lists");
const errorsOf = (lists: unknown) => {
  const { error } = ListsSchema.safeParse(lists);
  return error === undefined ? [] : fieldErrors(error);
};

describe("an entry's value comes back in one spelling", () => {
  test.each([
    ["198.51.100.7", "198.51.100.7"],
    [" 198.51.100.7 ", "198.51.100.7"],
    ["198.51.100.77/24", "198.51.100.0/24"],
    ["198.51.100.7/32", "198.51.100.7"],
    ["::ffff:198.51.100.7", "198.51.100.7"],
    ["2001:DB8::1/64", "2001:db8::/64"],
    ["ip:2001:DB8::1/64", "ip:2001:db8::/64"],
    ["ip:198.51.100.7", "ip:198.51.100.7"],
    ["key:k1", "key:k1"],
    ["customer:acme", "customer:acme"],
  ])("%s", (text, value) => {
    expect(parse({ deny: [{ value: text, reason: " why " }] }).deny).toEqual([
      { value, reason: "why" },
    ]);
  });
});

describe("one sentence says what is wrong", () => {
  const words = "value must be key:<id>, customer:<id>, an address or a CIDR range such as";
  test.each([
    ["198.51.100.300", words],
    ["198.51.100.0/33", words],
    ["198.51.100.07", words],
    ["plan:free", words],
    ["key:Not An Id", words],
    ["", words],
    [7, "value must be text, got 7"],
  ])("%j", (value, sentence) => {
    const errors = errorsOf({ allow: [{ value: "key:k1" }, { value }] });
    expect(errors).toHaveLength(1);
    expect(errors[0]?.path).toBe("allow.1.value");
    expect(errors[0]?.message).toContain(sentence);
  });

  test("each wrong entry has its own, with its place", () => {
    const deny = [{ value: "a" }, { value: "key:k1" }, { value: "b" }];
    expect(errorsOf({ deny }).map(({ path }) => path)).toEqual(["deny.0.value", "deny.2.value"]);
  });

  test("flood is about addresses, and needs a whole number a second", () => {
    expect(errorsOf({ flood: [{ value: "key:k1", perSecond: 5 }] })[0]?.message).toContain(
      "value must be an address or a CIDR range",
    );
    expect(errorsOf({ flood: [{ value: "::/0", perSecond: 0 }] })[0]?.message).toBe(
      "perSecond must be a whole number 1..1000000, got 0",
    );
    expect(errorsOf({ flood: [{ value: "::/0" }] })).toHaveLength(1);
  });

  test("a field that lists do not have is not ignored", () => {
    const message = '"perSecond" is not known here';
    const path = "deny.0.perSecond";
    expect(errorsOf({ deny: [{ value: "::1", perSecond: 5 }] })).toEqual([{ path, message }]);
  });

  test("a reason is one line of at most 300 characters", () => {
    expect(errorsOf({ deny: [{ value: "::1", reason: "x".repeat(301) }] })[0]?.message).toBe(
      "reason must be at most 300 characters, got 301",
    );
    expect(errorsOf({ deny: [{ value: "::1", reason: "a\nb" }] })).toHaveLength(1);
  });
});

test("the same subject twice is refused, however it is spelled", () => {
  const deny = [{ value: "198.51.100.7" }, { value: "key:k1" }, { value: "ip:198.51.100.7/32" }];
  expect(errorsOf({ deny })).toEqual([
    {
      path: "deny.2.value",
      message: "ip:198.51.100.7 is on the deny list already, as entry 1",
    },
  ]);
});

test("a list has at most 10,000 entries", () => {
  const entries = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      value: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
    }));
  expect(parse({ deny: entries(LIST_ENTRIES_MAX) }).deny).toHaveLength(LIST_ENTRIES_MAX);
  expect(errorsOf({ deny: entries(LIST_ENTRIES_MAX + 1) })[0]?.message).toBe(
    "deny must have at most 10000 entries, got 10001",
  );
});
