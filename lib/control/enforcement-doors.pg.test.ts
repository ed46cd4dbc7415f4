import { afterAll, beforeAll, expect, test } from "vitest";
import { type Guardrail, GuardrailSchema } from "../core/guardrail";
import { ADMIN, createTestControl, PUBLISHER, type TestControl } from "../testing/control";
import { guardedWorld } from "../testing/enforcements";
import { failureOf } from "../testing/failure";
import { tokenBucketRule } from "../testing/rules";
import {
  approveChangeRequest,
  getEnforcement,
  getOverview,
  promoteCandidate,
  publishScheduled,
  putDraftItem,
  rollbackVersion,
  SYSTEM,
  schedulePublish,
  setApprovalSetting,
  setCandidateShare,
  setRuleMode,
  tryCandidate,
  withActor,
} from ".";

let world: TestControl;
let guarded: ReturnType<typeof guardedWorld>;
let aheadMs = 0;
const clock = {
  nowMs: () => Date.now() + aheadMs,
  monotonicMs: () => performance.now() + aheadMs,
};
beforeAll(async () => {
  world = await createTestControl({ clock });
  guarded = guardedWorld(world);
  await world.control.db.user.createMany({
    data: [ADMIN, PUBLISHER].map(({ id, name }) => ({
      id,
      name,
      email: `${id}@example.com`,
      role: "publisher",
    })),
  });
});
afterAll(() => world.close());

const usual = GuardrailSchema.parse({});
const own: Guardrail = { ...usual, maxRejectedShare: 0.125 };
const fare = (id: string) => getEnforcement(world.ctx, { id });
const current = async () => (await getOverview(world.ctx)).version;
const lower = (id: string, rate: number) =>
  tokenBucketRule({ id, limit: { default: { rate, per: "1m", burst: rate } } });

test("a new rule that begins enforced goes to shadow when it is undone", async () => {
  const { version } = await guarded.publishRules([tokenBucketRule({ id: "new" })]);
  expect(await fare("new")).toMatchObject({
    version,
    change: "a new rule starts in enforce",
    undoTo: "shadow",
    guardrail: usual,
    predicted: null,
    state: "watching",
  });
});

test("a lower limit, and several rules of one publish, each by the bounds that were given with it", async () => {
  await guarded.publishRules([lower("a", 60), lower("b", 60)]);
  const { version } = await guarded.publishRules([lower("a", 6), lower("b", 6)], {
    guardrail: own,
  });
  for (const id of ["a", "b"])
    expect(await fare(id)).toMatchObject({
      version,
      guardrail: own,
      undoTo: "the limits it had before",
    });
});

test("a share, and the promotion after it", async () => {
  await guarded.publishRules([lower("shared", 60)]);
  const id = "shared";
  const how = { id, reason: "try", acknowledgeGaps: true };
  await tryCandidate(world.ctx, { ...how, rule: lower(id, 6) });
  expect((await fare(id)).lane).toBe("live");
  await setCandidateShare(world.ctx, { ...how, share: { free: 10 }, guardrail: own });
  expect(await fare(id)).toMatchObject({
    lane: "candidate",
    guardrail: own,
    undoTo: "the live revision for every client",
  });
  await promoteCandidate(world.ctx, how);
  expect(await fare(id)).toMatchObject({ lane: "live", guardrail: usual });
});

test("a rollback to a version in which it was enforced", async () => {
  const id = "again";
  await guarded.publishRules([tokenBucketRule({ id, mode: "shadow" })]);
  const { version } = await guarded.enforce(id, own);
  await setRuleMode(world.ctx, { id, mode: "shadow", reason: "back" });
  expect(await fare(id)).toMatchObject({ state: "ended", endedBy: { name: "Dana" } });
  const back = await rollbackVersion(world.ctx, { number: version });
  expect(await fare(id)).toMatchObject({
    version: back.version,
    state: "watching",
    // As it was meant when it was so.
    guardrail: own,
  });
});

test("a plan that loses its own limit and falls to a stricter default", async () => {
  const id = "by-plan";
  const limit = {
    perPlan: { paid: { rate: 600, per: "1m", burst: 600 } },
    default: { rate: 60, per: "1m", burst: 60 },
  };
  await guarded.publishRules([tokenBucketRule({ id, limit })]);
  const { version } = await guarded.publishRules([
    tokenBucketRule({ id, limit: { default: limit.default } }),
  ]);
  expect(await fare(id)).toMatchObject({ version, undoTo: "the limits it had before" });
});

test("a scheduled publish by the bounds of its schedule, also by none", async () => {
  for (const [id, guardrail] of [
    ["at-night", own],
    ["unwatched", null],
  ] as const) {
    await putDraftItem(world.as(PUBLISHER), { kind: "rule", id, body: tokenBucketRule({ id }) });
    const { id: schedule } = await schedulePublish(world.as(PUBLISHER), {
      message: id,
      baseVersion: await current(),
      publishAt: new Date(clock.nowMs() + 60_000).toISOString(),
      acknowledgeGaps: true,
      guardrail,
    });
    aheadMs += 61_000;
    await publishScheduled(withActor(world.control, SYSTEM), { id: schedule });
    expect(await fare(id)).toMatchObject({ guardrail, by: { name: "Pat" } });
  }
});

test("what a second person approved, by the bounds that were asked for", async () => {
  const id = "approved";
  await guarded.publishRules([tokenBucketRule({ id, mode: "shadow" })]);
  await setApprovalSetting(world.ctx, { required: true });
  const { details } = await failureOf(guarded.enforce(id, own), "conflict");
  const { changeRequest } = details as { changeRequest: { id: string; contentHash: string } };
  const { id: request, contentHash } = changeRequest;
  const { version } = await approveChangeRequest(world.as(PUBLISHER), { id: request, contentHash });
  expect(await fare(id)).toMatchObject({ version, guardrail: own, by: { name: "Pat" } });
  await setApprovalSetting(world.ctx, { required: false });
});
