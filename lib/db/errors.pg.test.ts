import { afterAll, beforeAll, expect, test } from "vitest";
import { acknowledgeAlert, getVersion, listAudit, listKeys, putDraftItem } from "../control";
import { createTestControl, type TestControl } from "../testing/control";
import { failureOf } from "../testing/failure";
import { tokenBucketRule } from "../testing/rules";

let world: TestControl;
beforeAll(async () => {
  world = await createTestControl();
});
afterAll(() => world.close());

test("what Postgres cannot hold is the caller's mistake, not an internal error", async () => {
  const { ctx } = world;
  const put = (fields: object) =>
    putDraftItem(ctx, {
      kind: "rule",
      id: "x",
      body: { ...tokenBucketRule({ id: "x" }), ...fields },
    });
  await failureOf(put({ description: "a\u0000b" }), "invalid");
  await failureOf(put({ meta: { half: "\ud800" } }), "invalid");
  await failureOf(listKeys(ctx, { customer: "a\u0000" }), "invalid");
  await failureOf(acknowledgeAlert(ctx, { id: "\u0000" }), "invalid");
  const large = await failureOf(getVersion(ctx, { number: 99_999_999_999 }), "invalid");
  expect(large.message).toBe("a number is larger than the database can hold");
  await failureOf(listAudit(ctx, { version: 99_999_999_999 }), "invalid");
});
