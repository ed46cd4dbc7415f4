import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestControl, type TestControl } from "@/lib/testing/control";
import { failureOf } from "@/lib/testing/failure";
import { listAlerts } from "./list-alerts";
import { raiseAlert } from "./raise-alert";

let world: TestControl;
beforeAll(async () => {
  world = await createTestControl();
});
afterAll(() => world.close());

test("alerts are listed by kind and severity, and all that are open are counted", async () => {
  const { ctx } = world;
  const atMs = Date.now();
  for (const [kind, subject] of [
    ["redis-down", "redis"],
    ["no-data", "gw-1"],
    ["gateway-silent", "gw-1"],
  ] as const)
    await raiseAlert(ctx.db, { kind, subject, message: kind, atMs });
  const kinds = async (query: Parameters<typeof listAlerts>[1]) => {
    const { items, open } = await listAlerts(ctx, query);
    expect(open).toBe(3);
    return items.map(({ kind }) => kind).sort();
  };
  expect(await kinds({ severity: "critical" })).toEqual(["redis-down"]);
  expect(await kinds({ severity: "warning" })).toEqual(["gateway-silent", "no-data"]);
  expect(await kinds({ kind: "no-data", severity: "warning" })).toEqual(["no-data"]);
  expect(await kinds({ kind: "no-data", severity: "critical" })).toEqual([]);
  const wrong = { kind: "moon" } as unknown as Parameters<typeof listAlerts>[1];
  expect((await failureOf(listAlerts(ctx, wrong), "invalid")).message).toContain(
    "kind must be one of",
  );
});
