import { afterAll, beforeAll, expect, test } from "vitest";
import { inTransaction } from "../db/client";
import { createTestControl, type TestControl } from "../testing/control";
import { acknowledgeAlert, getOverview, listAlerts } from ".";
import { raiseAlert } from "./raise-alert";

let world: TestControl;
beforeAll(async () => {
  world = await createTestControl();
});
afterAll(() => world.close());

const raise = (kind: "guardrail-undone" | "guardrail-held", subject: string) =>
  inTransaction(world.control.db, (tx) =>
    raiseAlert(tx, { kind, subject, message: `${kind} ${subject}`, atMs: Date.now() }),
  );

async function guardrailBanners() {
  const { banners } = await getOverview(world.ctx);
  return banners.filter(({ text }) => text.includes("guardrail"));
}

async function acknowledge(subject: string) {
  const { items } = await listAlerts(world.ctx, {});
  const alert = items.find((each) => each.subject === subject && each.resolvedAt === null);
  return acknowledgeAlert(world.ctx, { id: alert?.id ?? "" });
}

test("what a guardrail undid stands above every page, leading to its rule, until somebody has seen it", async () => {
  await raise("guardrail-undone", "links");
  expect(await guardrailBanners()).toEqual([
    { severity: "critical", text: "guardrail-undone links", href: "/rules/links" },
  ]);
  await raise("guardrail-undone", "search");
  expect(await guardrailBanners()).toMatchObject([
    {
      text: "guardrail-undone search (and 1 more like it)",
      href: "/alerts?kind=guardrail-undone",
    },
  ]);
  for (const subject of ["links", "search"])
    expect(await acknowledge(subject)).toMatchObject({
      acknowledgedBy: "Dana",
      resolvedAt: expect.any(String),
    });
  expect(await guardrailBanners()).toEqual([]);
});

test("what a guardrail holds stays told although somebody looks after it", async () => {
  await raise("guardrail-held", "links");
  expect(await acknowledge("links")).toMatchObject({ acknowledgedBy: "Dana", resolvedAt: null });
  expect(await guardrailBanners()).toMatchObject([{ severity: "warning", href: "/rules/links" }]);
});
