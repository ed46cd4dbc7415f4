import { afterAll, beforeAll, expect, test } from "vitest";
import { ManualClock } from "../clock";
import { ChangeRequestedSchema } from "../core/api/publish";
import { ADMIN, createTestControl, PUBLISHER, type TestControl, VIEWER } from "../testing/control";
import { failureOf } from "../testing/failure";
import { tokenBucketRule } from "../testing/rules";
import { countInShadow } from "../testing/shadow-counts";
import {
  approveChangeRequest,
  discardDraft,
  getDraft,
  getEnforcePreview,
  getRule,
  listAudit,
  publish,
  publishScheduled,
  putDraftItem,
  schedulePublish,
  setApprovalSetting,
  setRuleMode,
} from ".";

const WIDE = "would refuse requests of 11 clients (above 10)";
const clock = new ManualClock(Date.now());
let world: TestControl;
beforeAll(async () => {
  world = await createTestControl({ clock });
  await world.control.db.user.createMany({
    data: [ADMIN, PUBLISHER].map(({ id, name }) => ({
      id,
      name,
      email: `${id}@example.com`,
      role: "publisher",
    })),
  });
  for (const id of ["wide", "narrow"])
    await putDraftItem(world.ctx, {
      kind: "rule",
      id,
      body: tokenBucketRule({ id, mode: "shadow" }),
    });
  await publish(world.ctx, { message: "in shadow", baseVersion: 1 });
  clock.advance(3 * 3_600_000);
  const hits = Array.from({ length: 11 }, (_, i) => ({
    client: `key:client-${i}`,
    plan: i === 0 ? "enterprise" : "free",
  }));
  await countInShadow(world, { id: "wide", requestsPerMinute: 1000, hits });
  await countInShadow(world, { id: "narrow", requestsPerMinute: 1000, hits: hits.slice(0, 2) });
});
afterAll(() => world.close());

/** The rule as enforced, in the draft of Dana, whose other edits are gone. */
async function draftEnforced(id: string): Promise<number> {
  const { ctx } = world;
  await discardDraft(ctx);
  await putDraftItem(ctx, { kind: "rule", id, body: tokenBucketRule({ id }) });
  return (await getDraft(ctx)).baseVersion;
}

test("whom an enforce would hit is told beforehand, as the commit then judges it", async () => {
  const viewer = world.as(VIEWER);
  const wide = await getEnforcePreview(viewer, { id: "wide" });
  expect(wide).toMatchObject({
    rule: "wide",
    mode: "shadow",
    revision: 1,
    evidence: { enough: true, why: [], requests: 200_000, gateways: 2, reporting: 2 },
    radius: { clients: 11, rejections: 200, above: [WIDE.replace("would refuse ", "")] },
    confirmAbove: { clients: 10, share: 0.05 },
    guardrail: { action: "undo" },
    protectedPlans: ["enterprise"],
    predicted: { requests: 200_000, rejections: 200 },
  });
  expect(wide.radius.byPlan).toEqual([{ plan: "free", rejections: 200, clients: 10 }]);
  expect((await getEnforcePreview(viewer, { id: "narrow" })).radius.above).toEqual([]);
  await failureOf(getEnforcePreview(viewer, { id: "nothing" }), "not_found");
  await setRuleMode(world.ctx, { id: "narrow", mode: "enforce", reason: "seen" });
  const failure = await failureOf(getEnforcePreview(viewer, { id: "narrow" }), "conflict");
  expect(failure.message).toBe("rule narrow is in mode enforce already");
});

test("a schedule that nobody confirmed is refused by its radius when it is due, and one that was is published", async () => {
  const { ctx } = world;
  // Who is silent by then is another question: the gaps are acknowledged.
  const due = async (more: object) => {
    const baseVersion = await draftEnforced("wide");
    const publishAt = new Date(clock.nowMs() + 60_000).toISOString();
    const { id } = await schedulePublish(ctx, {
      message: "later",
      acknowledgeGaps: true,
      baseVersion,
      publishAt,
      ...more,
    });
    clock.advance(61_000);
    return publishScheduled(ctx, { id });
  };
  expect(await due({})).toEqual({
    state: "refused",
    why: `wide ${WIDE}: confirm it with acknowledgeRadius`,
  });
  const made = await due({ acknowledgeRadius: true });
  expect(made).toMatchObject({ state: "published" });
  const version = made.state === "published" ? made.version : 0;
  const [row] = (await listAudit(ctx, { version })).items;
  expect(row?.details).toMatchObject({ acknowledgedRadius: [{ rule: "wide", clients: 11 }] });
  await setRuleMode(ctx, { id: "wide", mode: "shadow", reason: "as before" });
});

test("where a second person is due, a radius is confirmed before anybody is asked, and is audited with the version", async () => {
  const { ctx } = world;
  await setApprovalSetting(ctx, { required: true });
  const asked = { id: "wide", reason: "seen", acknowledgeGaps: true };
  const mode = { ...asked, mode: "enforce" } as const;
  const wide = await failureOf(setRuleMode(ctx, mode), "conflict");
  expect(wide.details).toMatchObject({ reason: "radius", radius: [{ rule: "wide" }] });
  const due = await failureOf(setRuleMode(ctx, { ...mode, acknowledgeRadius: true }), "conflict");
  const { id, contentHash } = ChangeRequestedSchema.parse(due.details).changeRequest;
  const { version } = await approveChangeRequest(world.as(PUBLISHER), { id, contentHash });
  expect((await getRule(ctx, { id: "wide" })).mode).toBe("enforce");
  const { items } = await listAudit(ctx, { version });
  const row = items.find(({ action }) => action === "rule.mode");
  expect(row?.details).toMatchObject({ acknowledgedRadius: [{ rule: "wide", clients: 11 }] });
});
