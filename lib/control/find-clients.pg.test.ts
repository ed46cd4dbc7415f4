import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestControl, GATEWAY, type TestControl, VIEWER } from "../testing/control";
import { failureOf } from "../testing/failure";
import { createKey, findClients, revokeKey } from ".";

let world: TestControl;
let checkout: { id: string; key: string; prefix: string };

beforeAll(async () => {
  world = await createTestControl();
  checkout = await createKey(world.ctx, { plan: "free", customer: "acme", name: "Checkout" });
  await createKey(world.ctx, { plan: "paid", customer: "acorn", name: "Batch" });
  const gone = await createKey(world.ctx, { plan: "free", customer: "acme", name: "Gone" });
  await revokeKey(world.ctx, { id: gone.id });
});
afterAll(() => world.close());

async function found(kind: "key" | "customer", text: string) {
  const clients = await findClients(world.as(VIEWER), { kind, text });
  return clients.map(({ name, customer, plan }) => [name, customer, plan]);
}

describe("keys that are not revoked are found", () => {
  const expected = [["Checkout", "acme", "free"]];
  test("by how they begin", async () => {
    expect(await found("key", checkout.prefix)).toEqual(expected);
  });
  test("by the whole text, of which only the beginning is used", async () => {
    expect(await found("key", checkout.key)).toEqual(expected);
  });
  test("by id", async () => {
    expect(await found("key", checkout.id)).toEqual(expected);
  });
  test("by customer", async () => {
    expect(await found("key", "acme")).toEqual(expected);
  });
  test("all, while nothing is typed: the newest first", async () => {
    expect(await found("key", "")).toEqual([["Batch", "acorn", "paid"], ...expected]);
  });
});

test("customers are found by how id or name begin", async () => {
  expect((await found("customer", "AC")).map(([, customer]) => customer)).toEqual([
    "acme",
    "acorn",
  ]);
  expect(await found("customer", "nobody")).toEqual([]);
});

test("a gateway finds nobody", async () => {
  await failureOf(findClients(world.as(GATEWAY), { kind: "key", text: "" }), "forbidden");
  await failureOf(findClients(world.ctx, { kind: "key", text: "x".repeat(201) }), "invalid");
});
