import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Ctx,
  endStop,
  getOverview,
  getVersion,
  listAudit,
  listRules,
  publish,
  putDraftItem,
  rollbackVersion,
  SYSTEM,
  setRuleMode,
  stopEnforcing,
  withActor,
} from "@/lib/control";
import type { Rule } from "@/lib/core/rule";
import {
  createTestControl,
  EDITOR,
  PUBLISHER,
  type TestControl,
  VIEWER,
} from "@/lib/testing/control";
import { failureOf } from "@/lib/testing/failure";
import { tokenBucketRule } from "@/lib/testing/rules";
import { passSchedules } from "./run-schedules";
import { TIMINGS, type WorkerCtx } from "./worker-context";

let world: TestControl;
let aheadMs = 0;
const clock = {
  nowMs: () => Date.now() + aheadMs,
  monotonicMs: () => performance.now() + aheadMs,
};
beforeAll(async () => {
  world = await createTestControl({ clock });
  await publishRules(world.ctx, [
    tokenBucketRule({ id: "links" }),
    tokenBucketRule({ id: "messages" }),
    tokenBucketRule({ id: "watched", mode: "shadow" }),
  ]);
});
afterAll(() => world.close());

async function publishRules(ctx: Ctx, rules: Rule[]) {
  for (const rule of rules) await putDraftItem(ctx, { kind: "rule", id: rule.id, body: rule });
  const { version } = await getOverview(ctx);
  return publish(ctx, { message: "rules", baseVersion: version, acknowledgeGaps: true });
}

async function modes(): Promise<Record<string, string>> {
  const { items } = await listRules(world.ctx);
  return Object.fromEntries(items.map(({ id, mode }) => [id, mode]));
}

/** A pass of a worker of its own, as only Postgres is needed for it. */
function pass(): Promise<void> {
  const ctx = { ...withActor(world.control, SYSTEM), timings: TIMINGS } as Ctx as WorkerCtx;
  return passSchedules(ctx);
}

const asPublished = { links: "enforce", messages: "enforce", watched: "shadow" };
const stopped = { links: "shadow", messages: "shadow", watched: "shadow" };

test("everything goes to shadow in one version, is said on every page, and is enforced again once by the worker when it is over", async () => {
  const made = await stopEnforcing(world.ctx, { rules: "all", reason: "a storm", minutes: 30 });
  expect(made.stop).toMatchObject({
    scope: "all",
    rules: ["links", "messages"],
    version: made.version,
  });
  expect(await modes()).toEqual(stopped);
  const { banners } = await getOverview(world.ctx);
  expect(banners[0]).toMatchObject({ severity: "warning", href: "/stops" });
  expect(banners[0]?.text).toMatch(
    /^Dana stopped enforcing everything \(2 rules\) until \d{4}-\d\d-\d\d \d\d:\d\d UTC: a storm$/,
  );
  await pass();
  expect(await modes()).toEqual(stopped);

  aheadMs += 31 * 60_000;
  expect((await getOverview(world.ctx)).banners[0]?.text).toContain("does the worker run?");
  await Promise.all([pass(), pass(), pass()]);
  expect(await modes()).toEqual(asPublished);
  expect((await getOverview(world.ctx)).banners).toEqual([]);
  const version = await getVersion(world.ctx, { number: made.version + 1 });
  expect(version).toMatchObject({ live: true, kind: "mode", actor: { type: "system" } });
  const { items } = await listAudit(world.ctx, { kind: "stop", object: made.stop.id });
  expect(items.map(({ action }) => action)).toEqual(["stop.end", "stop.begin"]);
  expect(items[1]).toMatchObject({ reason: "a storm", version: made.version });
});

test("a stop of one rule is ended by hand, and ending it again does nothing", async () => {
  const { stop } = await stopEnforcing(world.ctx, { rules: ["links"], reason: "bug" });
  expect(await modes()).toEqual({ ...asPublished, links: "shadow" });
  const ended = await endStop(world.ctx, { id: stop.id, reason: "mended" });
  expect(ended).toMatchObject({ outcome: "links enforced again", endedVersion: stop.version + 1 });
  expect(await endStop(world.ctx, { id: stop.id })).toEqual(ended);
  expect(await modes()).toEqual(asPublished);
});

test("a rule that somebody changed meanwhile stays as it is, the others are enforced again", async () => {
  const { stop } = await stopEnforcing(world.ctx, { rules: "all", reason: "storm" });
  await setRuleMode(world.ctx, { id: "links", mode: "off", reason: "not needed" });
  await publishRules(world.ctx, [tokenBucketRule({ id: "other", mode: "shadow" })]);
  const ended = await endStop(world.ctx, { id: stop.id });
  expect(ended.outcome).toBe("messages enforced again; links left as it is, changed since");
  expect(await modes()).toEqual({ ...asPublished, links: "off", other: "shadow" });
  await setRuleMode(world.ctx, {
    id: "links",
    mode: "enforce",
    reason: "again",
    acknowledgeGaps: true,
  });
});

test("after a rollback of everything the stop has nothing left to do", async () => {
  const { version } = await getOverview(world.ctx);
  const { stop } = await stopEnforcing(world.ctx, { rules: "all", reason: "storm" });
  await rollbackVersion(world.ctx, { number: version });
  expect((await getOverview(world.ctx)).banners).toEqual([]);
  const second = await stopEnforcing(world.ctx, { rules: ["links"], reason: "one" });
  expect(await endStop(world.ctx, { id: stop.id })).toMatchObject({ endedVersion: null });
  expect(await modes()).toMatchObject({ links: "shadow", messages: "enforce" });
  await endStop(world.ctx, { id: second.stop.id });
  expect(await modes()).toMatchObject({ links: "enforce", messages: "enforce" });
});

test("who may set to shadow may stop, others are refused; nothing to stop, a strange rule and a stale version are told", async () => {
  for (const actor of [VIEWER, EDITOR])
    await failureOf(stopEnforcing(world.as(actor), { rules: "all", reason: "x" }), "forbidden");
  const publisher = world.as(PUBLISHER);
  await failureOf(stopEnforcing(publisher, { rules: ["nowhere"], reason: "x" }), "not_found");
  await failureOf(stopEnforcing(publisher, { rules: ["watched"], reason: "x" }), "conflict");
  const stale = await failureOf(
    stopEnforcing(publisher, { rules: "all", reason: "x", expectVersion: 1 }),
    "conflict",
  );
  expect(stale.details.reason).toBe("stale");
  const bad = await failureOf(
    stopEnforcing(publisher, { rules: "all", reason: "", minutes: 0 }),
    "invalid",
  );
  expect(bad.errors.map(({ path }) => path).sort()).toEqual(["minutes", "reason"]);
});
