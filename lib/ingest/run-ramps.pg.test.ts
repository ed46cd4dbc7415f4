import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type Actor,
  type Ctx,
  cancelRamp,
  dropCandidate,
  getRamp,
  getRule,
  listAlerts,
  listAudit,
  listVersions,
  pauseRamp,
  promoteCandidate,
  publish,
  putDraftItem,
  resumeRamp,
  SYSTEM,
  setCandidateShare,
  setRuleMode,
  startRamp,
  stopEnforcing,
  tryCandidate,
  undoEnforcement,
  withActor,
} from "@/lib/control";
import type { Share } from "@/lib/core/candidate";
import { AppError } from "@/lib/core/errors";
import { createTestControl, RESPONDER, type TestControl, VIEWER } from "@/lib/testing/control";
import { tokenBucketRule } from "@/lib/testing/rules";
import { passRamps } from "./run-ramps";
import { TIMINGS, type WorkerCtx } from "./worker-context";

let world: TestControl;
let aheadMs = 0;
let maker: Ctx;
let count = 0;
let id = "";
const clock = {
  nowMs: () => Date.now() + aheadMs,
  monotonicMs: () => performance.now() + aheadMs,
};
const LIVE = tokenBucketRule({ id: "r" });
const STEPS = [{ share: 1, hold: "10m" }, { share: 10, hold: "1h" }, { share: 100 }];

beforeAll(async () => {
  world = await createTestControl({ clock });
  const actor: Actor = { type: "user", id: "mia", name: "Mia", role: "publisher" };
  maker = world.as(actor);
  await world.control.db.user.create({
    data: { id: "mia", name: "Mia", email: "mia@headgate.test", role: "publisher" },
  });
});
afterAll(() => world.close());

/** A rule of its own for each test, with a candidate beside it. */
beforeEach(async () => {
  count += 1;
  id = `rule-${count}`;
  const rule = { ...LIVE, id };
  await putDraftItem(maker, { kind: "rule", id, body: rule });
  await publish(maker, { message: id, baseVersion: await current(), acknowledgeGaps: true });
  await tryCandidate(maker, { id, rule: tighter(rule), reason: "tighter" });
});

function tighter(rule: { id: string }) {
  const limit = { default: { rate: 6, per: "1m", burst: 6 } };
  return { ...tokenBucketRule({ id: rule.id, limit }) };
}

function pass(): Promise<void> {
  const ctx = { ...withActor(world.control, SYSTEM), timings: TIMINGS } as Ctx as WorkerCtx;
  return passRamps(ctx);
}

async function current(): Promise<number> {
  return (await listVersions(world.ctx, { limit: 1 })).current;
}

async function share(): Promise<Share | undefined> {
  return (await getRule(world.ctx, { id })).candidate?.share;
}

async function alerts(kind: string): Promise<string[]> {
  const { items } = await listAlerts(world.ctx, { open: true });
  return items.filter((row) => row.kind === kind && row.subject === id).map((row) => row.message);
}

function start(fields: { acknowledgeGaps?: boolean; guardrail?: null; steps?: unknown[] } = {}) {
  const { steps = STEPS, ...rest } = fields;
  return startRamp(maker, {
    id,
    steps: steps as typeof STEPS,
    reason: "slowly",
    acknowledgeGaps: true,
    guardrail: null,
    ...rest,
  });
}

/** `conflict: the ramp is …` */
async function refused(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => "it was done",
    (thrown: unknown) => thrown,
  );
  return error instanceof AppError ? `${error.code}: ${error.message}` : String(error);
}

/** What the guardrail's last look said of the rule. */
async function look(verdict: "within" | "hold" | "undo", why: string[] = []) {
  const at = new Date().toISOString();
  const window = { seconds: 60, requests: 100, rejections: 0 };
  await world.control.db.enforcement.updateMany({
    where: { ruleId: id, state: { in: ["watching", "held"] } },
    data: {
      judgement: { at, verdict, why, crossedSince: null, window, missing: [] },
      lookedAt: new Date(),
    },
  });
}

test("each step is a version of its own, taken when it is due, once, by whichever of several workers, as its maker", async () => {
  const before = await current();
  const ramp = await start();
  expect(ramp).toMatchObject({ state: "running", taken: 1, actor: { name: "Mia" } });
  expect(ramp.steps.map(({ words, version }) => [words, version])).toEqual([
    ["1 % of clients", before + 1],
    ["10 % of clients", null],
    ["100 % of clients", null],
  ]);
  expect(await share()).toBe(1);
  await pass();
  expect(await current()).toBe(before + 1);
  aheadMs += 601_000;
  await Promise.all([pass(), pass(), pass(), pass()]);
  expect(await share()).toBe(10);
  expect(await current()).toBe(before + 2);
  aheadMs += 3_601_000;
  await Promise.all([pass(), pass(), pass()]);
  expect(await share()).toBe(100);
  expect(await current()).toBe(before + 3);
  const done = await getRamp(world.ctx, { id });
  expect(done).toMatchObject({ state: "done", taken: 3, nextAt: null });
  expect(done.steps.map(({ version }) => version)).toEqual([before + 1, before + 2, before + 3]);
  const { items } = await listAudit(world.ctx, { kind: "rule", object: id });
  expect(items.slice(0, 3).map(({ action, actor }) => [action, actor.name])).toEqual([
    ["ramp.step", "Mia"],
    ["ramp.step", "Mia"],
    ["ramp.start", "Mia"],
  ]);
  await pass();
  expect(await current()).toBe(before + 3);
});

test("a version that leaves the rule alone does not stop it, one that changes its share, candidate or live revision does", async () => {
  await start();
  await putDraftItem(world.ctx, {
    kind: "rule",
    id: `beside-${count}`,
    body: tokenBucketRule({ id: `beside-${count}`, mode: "shadow" }),
  });
  await publish(world.ctx, { message: "beside", baseVersion: await current() });
  await pass();
  expect(await getRamp(world.ctx, { id })).toMatchObject({ state: "running" });
  await setCandidateShare(world.ctx, { id, share: 0, reason: "too early" });
  await pass();
  const stopped = await getRamp(world.ctx, { id });
  expect(stopped).toMatchObject({ state: "stopped", taken: 1 });
  expect(stopped.outcome).toMatch(
    /^Dana changed rule .* in version \d+ \(.*no client: too early\)$/,
  );
  expect(await alerts("ramp-stopped")).toEqual([expect.stringContaining("Dana changed rule")]);
  aheadMs += 700_000;
  await pass();
  expect(await share()).toBe(0);

  // The next one takes the alert away.
  await start();
  expect(await alerts("ramp-stopped")).toEqual([]);
  await setRuleMode(world.ctx, { id, mode: "shadow", reason: "a storm" });
  await pass();
  expect(await getRamp(world.ctx, { id })).toMatchObject({ state: "stopped" });
});

test("dropping, promoting and a stop of enforcement end it, without an alert where its maker did it", async () => {
  await start();
  await stopEnforcing(world.ctx, { rules: [id], reason: "storm" });
  await pass();
  expect(await getRamp(world.ctx, { id })).toMatchObject({ state: "stopped" });
  await setRuleMode(maker, { id, mode: "enforce", reason: "over", acknowledgeGaps: true });
  await start();
  await promoteCandidate(maker, { id, reason: "all", acknowledgeGaps: true });
  await pass();
  expect(await getRamp(world.ctx, { id })).toMatchObject({ state: "stopped" });
  expect(await alerts("ramp-stopped")).toEqual([]);
  await tryCandidate(maker, { id, rule: { ...LIVE, id }, reason: "back" });
  await start();
  await dropCandidate(maker, { id });
  await pass();
  expect(await getRamp(world.ctx, { id })).toMatchObject({ state: "stopped" });
});

test("what the guardrail holds waits, is told after a minute, and goes on once it is within", async () => {
  await startRamp(maker, { id, steps: STEPS, reason: "watched", acknowledgeGaps: true });
  aheadMs += 601_000;
  await pass();
  expect(await share()).toBe(1);
  expect((await getRamp(world.ctx, { id })).held).toContain("was not looked at yet");
  await look("hold", ["1 of 2 gateways silent"]);
  await pass();
  expect(await getRamp(world.ctx, { id })).toMatchObject({
    state: "running",
    held: "its guardrail does not let it go on yet: 1 of 2 gateways silent",
  });
  expect(await alerts("ramp-held")).toEqual([]);
  aheadMs += 61_000;
  await pass();
  expect(await alerts("ramp-held")).toEqual([expect.stringContaining("1 of 2 gateways silent")]);
  await look("within");
  await pass();
  expect(await share()).toBe(10);
  expect(await alerts("ramp-held")).toEqual([]);
  expect((await getRamp(world.ctx, { id })).held).toBeNull();
});

test("a step that the guardrail undoes is the last one: the share stays where it was before, and the ramp says why", async () => {
  await startRamp(maker, { id, steps: STEPS, reason: "watched", acknowledgeGaps: true });
  await look("within");
  aheadMs += 601_000;
  await pass();
  expect(await share()).toBe(10);
  await look("undo", ["40 % rejected (40 of 100 in 60 s)"]);
  const watched = await world.control.db.enforcement.findFirstOrThrow({
    where: { ruleId: id, state: "watching" },
  });
  await undoEnforcement(withActor(world.control, SYSTEM), { id: watched.id });
  expect(await share()).toBe(1);
  await pass();
  const stopped = await getRamp(world.ctx, { id });
  expect(stopped).toMatchObject({ state: "stopped", taken: 2 });
  expect(stopped.outcome).toContain("40 % rejected");
  expect(await alerts("ramp-stopped")).toHaveLength(1);
  aheadMs += 3_700_000;
  await pass();
  expect(await share()).toBe(1);
});

test("a step without evidence waits for it, and the first one is refused", async () => {
  expect(await refused(start({ acknowledgeGaps: false }))).toMatch(
    /^conflict: evidence is missing/,
  );
  await start();
  await world.control.db.candidateRamp.updateMany({
    where: { ruleId: id },
    data: { acknowledgeGaps: false },
  });
  aheadMs += 601_000;
  await pass();
  expect(await share()).toBe(1);
  expect((await getRamp(world.ctx, { id })).held).toContain("evidence is missing");
});

test("a pause keeps the time that is left, a resumption goes on from there, a cancelled one stays where it is", async () => {
  await start();
  aheadMs += 400_000;
  const paused = await pauseRamp(world.as(RESPONDER), { id, reason: "lunch" });
  expect(paused).toMatchObject({ state: "paused", nextAt: null });
  expect(paused.leftSeconds).toBeGreaterThan(150);
  expect(await refused(pauseRamp(maker, { id, reason: "again" }))).toContain("is paused already");
  aheadMs += 7_200_000;
  await pass();
  expect(await share()).toBe(1);
  await resumeRamp(maker, { id, reason: "back" });
  expect(await refused(resumeRamp(maker, { id, reason: "again" }))).toContain("goes on already");
  await pass();
  expect(await share()).toBe(1);
  aheadMs += 210_000;
  await pass();
  expect(await share()).toBe(10);
  const cancelled = await cancelRamp(world.as(RESPONDER), { id, reason: "enough" });
  expect(cancelled).toMatchObject({ state: "cancelled", endedBy: { name: "Rae" } });
  aheadMs += 3_700_000;
  await pass();
  expect(await share()).toBe(10);
  expect(await refused(cancelRamp(maker, { id }))).toMatch(/^not_found: .*has no ramp/);
  const { items } = await listAudit(world.ctx, { kind: "rule", object: id });
  expect(items.slice(0, 4).map(({ action }) => action)).toEqual([
    "ramp.cancel",
    "ramp.step",
    "ramp.resume",
    "ramp.pause",
  ]);
});

test("a paused one that somebody overtook is stopped, and cannot be resumed before it is", async () => {
  await start();
  await pauseRamp(maker, { id, reason: "wait" });
  await setCandidateShare(world.ctx, { id, share: 0, reason: "back" });
  expect(await refused(resumeRamp(maker, { id, reason: "go" }))).toMatch(
    /^conflict: the ramp cannot go on: Dana changed rule/,
  );
  await pass();
  expect(await getRamp(world.ctx, { id })).toMatchObject({ state: "stopped" });
});

test("whose maker may not publish any more stops and says so", async () => {
  await start();
  await world.control.db.user.update({ where: { id: "mia" }, data: { role: "viewer" } });
  aheadMs += 601_000;
  await pass();
  await world.control.db.user.update({ where: { id: "mia" }, data: { role: "publisher" } });
  const stopped = await getRamp(world.ctx, { id });
  expect(stopped).toMatchObject({ state: "stopped", taken: 1 });
  expect(stopped.outcome).toContain("Mia (role viewer) may not publish");
  expect(await alerts("ramp-stopped")).toHaveLength(1);
});

test("what cannot be a ramp is refused: falling or single steps, no hold, no candidate, a second one, a stale version, a viewer, approval due", async () => {
  const steps = (...shares: Share[]) => shares.map((each) => ({ share: each, hold: "1m" }));
  expect(await refused(start({ steps: steps(10, 5) }))).toContain("steps must rise: step 2");
  expect(await refused(start({ steps: steps({ free: 5 }, { paid: 50 }) }))).toContain("must rise");
  expect(await refused(start({ steps: steps(0, 5) }))).toContain("step 1 is no client");
  expect(await refused(start({ steps: steps(5) }))).toContain("a single one is a share");
  expect(await refused(start({ steps: steps(50, 101) }))).toContain(
    "share must be 0..100, got 101",
  );
  expect(await refused(start({ steps: [{ share: 1 }, { share: 2 }] }))).toContain(
    "step 1 must say how long it holds",
  );
  const none = { id: `beside-${count - 7}`, steps: STEPS, reason: "none" };
  expect(await refused(startRamp(maker, none))).toMatch(/^not_found: .*has no candidate/);
  const asked = { id, steps: STEPS, reason: "stale", expectVersion: (await current()) - 1 };
  expect(await refused(startRamp(maker, asked))).toContain("conflict: version");
  expect(await refused(startRamp(world.as(VIEWER), { ...asked }))).toContain("forbidden");
  expect(await refused(startRamp(world.as(RESPONDER), { ...asked }))).toContain("forbidden");
  await start();
  expect(await refused(start({ steps: steps(20, 30) }))).toContain("has a ramp already");
  await cancelRamp(maker, { id });
  await world.control.db.installation.updateMany({ data: { approvalRequired: true } });
  expect(await refused(start())).toContain("a second person must approve each step");
});
