import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Actor,
  type Ctx,
  cancelSchedule,
  discardDraft,
  getDraft,
  listAlerts,
  listAudit,
  listRules,
  listSchedules,
  listVersions,
  publish,
  putDraftItem,
  rebaseDraft,
  SYSTEM,
  schedulePublish,
  setRuleMode,
  withActor,
} from "@/lib/control";
import { createTestControl, EDITOR, type TestControl } from "@/lib/testing/control";
import { failureOf } from "@/lib/testing/failure";
import { tokenBucketRule } from "@/lib/testing/rules";
import { passSchedules } from "./run-schedules";
import { TIMINGS, type WorkerCtx } from "./worker-context";

let world: TestControl;
let aheadMs = 0;
let maker: Ctx;
const clock = {
  nowMs: () => Date.now() + aheadMs,
  monotonicMs: () => performance.now() + aheadMs,
};
beforeAll(async () => {
  world = await createTestControl({ clock });
  const actor: Actor = { type: "user", id: "mia", name: "Mia", role: "publisher" };
  maker = world.as(actor);
  await world.control.db.user.create({
    data: { id: "mia", name: "Mia", email: "mia@headgate.test", role: "publisher" },
  });
});
afterAll(() => world.close());

function pass(): Promise<void> {
  const ctx = { ...withActor(world.control, SYSTEM), timings: TIMINGS } as Ctx as WorkerCtx;
  return passSchedules(ctx);
}

async function current(): Promise<number> {
  return (await listVersions(world.ctx, { limit: 1 })).current;
}

async function edit(ctx: Ctx, id: string, mode: "shadow" | "enforce" = "shadow"): Promise<void> {
  await putDraftItem(ctx, { kind: "rule", id, body: tokenBucketRule({ id, mode }) });
}

async function schedule(message: string, fields: { acknowledgeGaps?: boolean } = {}) {
  return schedulePublish(maker, {
    message,
    baseVersion: await current(),
    publishAt: new Date(clock.nowMs() + 60_000).toISOString(),
    ...fields,
  });
}

async function ruleIds(): Promise<string[]> {
  return (await listRules(world.ctx)).items.map(({ id }) => id);
}

test("a draft is frozen and published once when it is due, by whichever of several workers, as its maker", async () => {
  await edit(maker, "first");
  const made = await schedule("at night");
  expect(made).toMatchObject({
    state: "waiting",
    changes: [{ kind: "rule", id: "first", op: "put" }],
  });
  expect((await getDraft(maker)).changes).toEqual([]);
  await edit(maker, "later");
  await pass();
  expect(await ruleIds()).toEqual([]);
  aheadMs += 61_000;
  await Promise.all([pass(), pass(), pass(), pass()]);
  expect(await ruleIds()).toEqual(["first"]);
  const version = await current();
  expect((await listSchedules(world.ctx)).items[0]).toMatchObject({ state: "published", version });
  const { items } = await listAudit(world.ctx, { version });
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({ action: "version.publish", actor: { id: "mia" } });
  expect((await getDraft(maker)).changes).toHaveLength(1);
});

test("its base moved: it is refused, audited, alerted, and its changes can be taken back as a draft", async () => {
  await putDraftItem(maker, {
    kind: "rule",
    id: "later",
    body: tokenBucketRule({ id: "later", mode: "shadow" }),
  });
  const draft = await getDraft(maker);
  if (draft.stale) await rebaseDraft(maker);
  const made = await schedule("later on");
  await setRuleMode(world.ctx, { id: "first", mode: "off", reason: "meanwhile" });
  const [waiting] = (await listSchedules(world.ctx, { state: "waiting" })).items;
  expect(waiting?.outcome).toContain("it will be refused unless it is taken back");
  aheadMs += 61_000;
  await Promise.all([pass(), pass()]);
  expect(await ruleIds()).toEqual(["first"]);
  const [refused] = (await listSchedules(world.ctx, { state: "refused" })).items;
  expect(refused).toMatchObject({ id: made.id, version: null });
  expect(refused?.outcome).toContain("look at what was published since");
  const alerts = (await listAlerts(world.ctx)).items.filter(
    ({ kind }) => kind === "schedule-failed",
  );
  expect(alerts).toHaveLength(1);
  const audit = await listAudit(world.ctx, { kind: "schedule", object: made.id });
  expect(audit.items.map(({ action }) => action)).toEqual(["schedule.refuse", "schedule.create"]);

  expect(await cancelSchedule(maker, { id: made.id })).toMatchObject({
    state: "cancelled",
    restored: true,
  });
  const open = (await listAlerts(world.ctx)).items.filter(({ resolvedAt }) => resolvedAt === null);
  expect(open).toEqual([]);
  expect(await getDraft(maker)).toMatchObject({ stale: true, changes: [{ id: "later" }] });
  await failureOf(cancelSchedule(maker, { id: made.id }), "conflict");
});

test("evidence is judged when it is due, unless its lack was acknowledged", async () => {
  await discardDraft(maker);
  await edit(maker, "strict", "enforce");
  await schedule("enforce it");
  aheadMs += 61_000;
  await pass();
  const [refused] = (await listSchedules(world.ctx, { state: "refused" })).items;
  expect(refused?.outcome).toContain("evidence is missing for strict");
  await edit(maker, "strict", "enforce");
  await schedule("enforce it all the same", { acknowledgeGaps: true });
  aheadMs += 61_000;
  await pass();
  expect(await ruleIds()).toContain("strict");
});

test("who may not publish any more publishes nothing, and what was cancelled does not fire", async () => {
  await edit(maker, "first", "shadow");
  const one = await schedule("cancelled");
  await cancelSchedule(world.ctx, { id: one.id });
  await edit(maker, "fourth");
  await schedule("demoted");
  await world.control.db.user.update({ where: { id: "mia" }, data: { role: "viewer" } });
  const before = await current();
  aheadMs += 61_000;
  await pass();
  expect(await current()).toBe(before);
  const [refused] = (await listSchedules(world.ctx, { state: "refused" })).items;
  expect(refused?.outcome).toContain("Mia (role viewer) may not publish");
});

test("who may not publish schedules nothing; the past, an empty draft and a stale base are refused", async () => {
  const publishAt = new Date(clock.nowMs() + 60_000).toISOString();
  const input = { message: "x", baseVersion: await current(), publishAt };
  await failureOf(schedulePublish(world.as(EDITOR), input), "forbidden");
  await failureOf(schedulePublish(world.ctx, input), "conflict");
  await failureOf(
    schedulePublish(world.ctx, { ...input, publishAt: "2020-01-01T00:00:00Z" }),
    "invalid",
  );
  await edit(world.ctx, "fifth");
  const stale = await failureOf(
    schedulePublish(world.ctx, { ...input, baseVersion: 1 }),
    "conflict",
  );
  expect(stale.details.reason).toBe("stale");
  await publish(world.ctx, { message: "now", baseVersion: input.baseVersion });
});

test("one that cannot be read keeps nothing else that is due, and is tried again", async () => {
  await world.control.db.user.update({ where: { id: "mia" }, data: { role: "publisher" } });
  await discardDraft(maker);
  await edit(maker, "sixth");
  const broken = await schedule("broken");
  await world.control.db.scheduledPublish.update({
    where: { id: broken.id },
    data: { edits: "no edits" },
  });
  await edit(maker, "seventh");
  await schedule("sound");
  aheadMs += 61_000;
  await expect(pass()).rejects.toThrow();
  expect(await ruleIds()).toContain("seventh");
  const row = await world.control.db.scheduledPublish.findUnique({ where: { id: broken.id } });
  expect(row?.state).toBe("waiting");
});
