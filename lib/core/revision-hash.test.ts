import { expect, test } from "vitest";
import { tokenBucketRule } from "../testing/rules";
import { countingHash } from "./counting-hash";
import { revisionHash } from "./revision-hash";

test("equal content has one hash, whatever the order of fields", () => {
  expect(revisionHash({ a: 1, b: { c: [1, 2], d: undefined } })).toBe(
    revisionHash({ b: { c: [1, 2] }, a: 1 }),
  );
});

test("any other content has another hash, the order of a list included", () => {
  expect(revisionHash({ a: [1, 2] })).not.toBe(revisionHash({ a: [2, 1] }));
  expect(revisionHash({ a: null })).not.toBe(revisionHash({}));
});

test("numbers, mode and match do not change where a rule counts; countBy does", () => {
  const rule = tokenBucketRule();
  const limit = { default: { rate: 7, per: "13s", burst: 9 } };
  expect(countingHash(tokenBucketRule({ limit, mode: "off", cost: 3 }))).toBe(countingHash(rule));
  expect(countingHash(tokenBucketRule({ countBy: ["ip"] }))).not.toBe(countingHash(rule));
});

test("the order in which countBy is written does not change where a rule counts", () => {
  expect(countingHash(tokenBucketRule({ countBy: ["route", "apiKey"] }))).toBe(
    countingHash(tokenBucketRule({ countBy: ["apiKey", "route"] })),
  );
});
