import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestControl, type TestControl } from "../testing/control";
import { failureOf } from "../testing/failure";
import { tokenBucketRule } from "../testing/rules";
import {
  createKey,
  diffVersions,
  endOverride,
  getOverrideRestore,
  getOverview,
  listAudit,
  listOverrides,
  publish,
  putDraftItem,
  putOverride,
  rollbackVersion,
  setRuleMode,
} from ".";

let world: TestControl;
let aheadMs = 0;
const clock = {
  nowMs: () => Date.now() + aheadMs,
  monotonicMs: () => performance.now() + aheadMs,
};
let client: `key:${string}`;
beforeAll(async () => {
  world = await createTestControl({ clock });
  for (const id of ["links", "messages", "search"])
    await putDraftItem(world.ctx, {
      kind: "rule",
      id,
      body: tokenBucketRule({ id, mode: "shadow" }),
    });
  await publish(world.ctx, { message: "rules", baseVersion: 1 });
  client = `key:${(await createKey(world.ctx, { plan: "free" })).id}`;
});
afterAll(() => world.close());

const amount = (rate: number) => ({ rate, per: "1m", burst: rate });

async function put(id: string, rule: string, rate: number, hours = 24): Promise<void> {
  await putOverride(world.ctx, {
    id,
    client,
    rule,
    limit: amount(rate),
    owner: "ops",
    reason: "test",
    expiresAt: new Date(clock.nowMs() + hours * 3_600_000).toISOString(),
  });
}

async function inForce(): Promise<Record<string, unknown>> {
  const { items } = await listOverrides(world.ctx);
  return Object.fromEntries(items.map(({ rule, limit }) => [rule, limit]));
}

test("overrides stay through a rollback; ticked, they are as they were when the version was last in force", async () => {
  await put("links-1", "links", 100);
  await put("messages-1", "messages", 200);
  const { version } = await getOverview(world.ctx);
  await setRuleMode(world.ctx, { id: "search", mode: "off", reason: "next version" });
  await put("links-1", "links", 7);
  await endOverride(world.ctx, { id: "messages-1" });
  await put("search-1", "search", 300);

  await rollbackVersion(world.ctx, { number: version });
  expect(await inForce()).toEqual({ links: amount(7), search: amount(300) });

  const { changes } = await getOverrideRestore(world.ctx, { number: version });
  expect(changes.map(({ op, rule }) => `${op} ${rule}`).sort()).toEqual([
    "change links",
    "end search",
    "give messages",
  ]);
  await setRuleMode(world.ctx, { id: "search", mode: "off", reason: "again" });
  await rollbackVersion(world.ctx, { number: version, restoreOverrides: true });
  expect(await inForce()).toEqual({ links: amount(100), messages: amount(200) });
  expect((await getOverrideRestore(world.ctx, { number: version })).changes).toEqual([]);
  const audit = await listAudit(world.ctx, { action: "override.restore" });
  expect(audit.items[0]?.sentence).toContain("3 changes");
});

test("one that has expired since is not revived, and one of a rule that is gone is left out", async () => {
  await put("search-2", "search", 9, 1);
  const { version } = await getOverview(world.ctx);
  await setRuleMode(world.ctx, { id: "search", mode: "off", reason: "next version" });
  aheadMs += 2 * 3_600_000;
  const { changes } = await getOverrideRestore(world.ctx, { number: version });
  expect(changes.filter(({ rule }) => rule === "search")).toEqual([]);
  const first = await getOverrideRestore(world.ctx, { number: 1 });
  expect(first.changes.every(({ op }) => op === "end")).toBe(true);
});

test("restoring takes the right to give overrides, and a diff tells whose limits move", async () => {
  const responder = world.as({ type: "user", id: "ria", name: "Ria", role: "responder" });
  await failureOf(rollbackVersion(responder, { number: 2, restoreOverrides: true }), "forbidden");
  await setRuleMode(world.ctx, {
    id: "links",
    mode: "enforce",
    reason: "storm",
    acknowledgeGaps: true,
  });
  const { version } = await getOverview(world.ctx);
  const { effect } = await diffVersions(world.ctx, { from: version, to: 2 });
  expect(effect).toMatchObject({ raised: 1, lowered: 0 });
  expect(effect.plans.find(({ plan }) => plan === "free")).toMatchObject({
    keys: 1,
    raised: ["links"],
  });
});
