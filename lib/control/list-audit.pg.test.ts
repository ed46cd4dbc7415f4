import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestControl, type TestControl } from "../testing/control";
import { failureOf } from "../testing/failure";
import { createKey, listAudit } from ".";

let world: TestControl;
beforeAll(async () => {
  world = await createTestControl();
});
afterAll(() => world.close());

test("the log is searched by text in any case, where % and _ stand for themselves", async () => {
  const { ctx } = world;
  await createKey(ctx, { plan: "free", customer: "acme", name: "100% load_test" });
  const found = async (q: string) =>
    (await listAudit(ctx, { q })).items.map(({ action }) => action);
  expect(await found("CUSTOMER ACME")).toEqual(["key.create"]);
  expect(await found("100% load_test")).toEqual(["key.create"]);
  expect(await found("100_ load_test")).toEqual([]);
  expect(await found("load%test")).toEqual([]);
});

test("what Headgate did by itself is told apart from what people did", async () => {
  const { ctx } = world;
  const system = (await listAudit(ctx, { by: "system" })).items;
  const people = (await listAudit(ctx, { by: "user" })).items;
  expect(system.map(({ action }) => action)).toContain("version.initial");
  expect(people.map(({ actor }) => actor.type)).toEqual(people.map(() => "user"));
  expect(people.length).toBeGreaterThan(0);
  const by = "nobody" as "user";
  expect((await failureOf(listAudit(ctx, { by }), "invalid")).message).toContain("by");
});
