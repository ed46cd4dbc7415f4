import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ManualClock } from "../clock";
import type { Rule } from "../core/rule";
import {
  createTestControl,
  EDITOR,
  GATEWAY,
  RESPONDER,
  type TestControl,
} from "../testing/control";
import { failureOf } from "../testing/failure";
import { tokenBucketRule } from "../testing/rules";
import { countInShadow } from "../testing/shadow-counts";
import {
  discardDraft,
  getDraft,
  getRule,
  getVersion,
  listAudit,
  publish,
  putDraftItem,
  rollbackRule,
  rollbackVersion,
  setRuleMode,
} from ".";

const reason = "seen enough";
const clock = new ManualClock(Date.now());
let world: TestControl;
beforeAll(async () => {
  world = await createTestControl({ clock });
});
afterAll(() => world.close());
afterEach(() => discardDraft(world.ctx));

let count = 0;

/** A new rule in shadow, live. */
async function shadowRule(fields: Parameters<typeof tokenBucketRule>[0] = {}) {
  count += 1;
  const rule = tokenBucketRule({ id: `rule-${count}`, mode: "shadow", ...fields });
  await publishRule(rule, true);
  return rule;
}

async function publishRule(rule: Rule, acknowledgeGaps?: boolean) {
  const { ctx } = world;
  await putDraftItem(ctx, { kind: "rule", id: rule.id, body: rule });
  const { currentVersion: baseVersion } = await getDraft(ctx);
  const wanted = { message: `set ${rule.id}`, baseVersion };
  return publish(ctx, acknowledgeGaps === undefined ? wanted : { ...wanted, acknowledgeGaps });
}

test("without a shadow report enforce is refused with what is missing, and goes through when acknowledged, audited", async () => {
  const { ctx } = world;
  const { id } = await shadowRule();
  const before = await getDraft(ctx);
  const failure = await failureOf(setRuleMode(ctx, { id, mode: "enforce", reason }), "conflict");
  expect(failure.details).toMatchObject({
    reason: "evidence",
    current: before.currentVersion,
    evidence: [{ rule: id, because: "shadow → enforce", why: expect.any(Array) }],
  });
  expect((await getDraft(ctx)).currentVersion).toBe(before.currentVersion);
  const made = await setRuleMode(ctx, { id, mode: "enforce", reason, acknowledgeGaps: true });
  expect(made.kind).toBe("mode");
  expect(made.acknowledgedGaps).toHaveLength(1);
  const [row] = (await listAudit(ctx, { version: made.version })).items;
  expect(row).toMatchObject({
    action: "rule.mode",
    objectId: id,
    reason,
    sentence: `Dana set rule ${id} from shadow to enforce (version ${made.version}), although evidence was missing`,
    diff: [{ path: "mode", before: "shadow", after: "enforce" }],
    details: { acknowledgedGaps: [{ rule: id }] },
  });
});

test("with enough in shadow one click enforces; a limit that shadow has not run does not", async () => {
  const { ctx } = world;
  const rule = await shadowRule();
  clock.advance(3 * 3_600_000);
  await countInShadow(world, { id: rule.id, requestsPerMinute: 20 });
  const other = { ...rule, limit: { ...rule.limit, default: { rate: 1, per: "1h", burst: 1 } } };
  await failureOf(publishRule({ ...other, mode: "enforce" }), "conflict");
  await putDraftItem(ctx, { kind: "rule", id: rule.id, body: rule });
  const made = await setRuleMode(ctx, { id: rule.id, mode: "enforce", reason });
  expect(made.acknowledgedGaps).toEqual([]);
  const live = await getRule(ctx, { id: rule.id });
  expect(live).toMatchObject({ mode: "enforce", revision: 2, sinceVersion: made.version });
});

test("more clients hit than the bound need a confirmation of its own by every door, audited", async () => {
  const { ctx } = world;
  const rule = await shadowRule();
  clock.advance(3 * 3_600_000);
  const hits = Array.from({ length: 11 }, (_, i) => ({
    client: `client-${i}`,
    plan: i === 0 ? "enterprise" : "free",
  }));
  await countInShadow(world, { id: rule.id, requestsPerMinute: 1000, hits });
  const mode = { id: rule.id, mode: "enforce", reason } as const;
  // Missing evidence is another question.
  const failure = await failureOf(setRuleMode(ctx, { ...mode, acknowledgeGaps: true }), "conflict");
  expect(failure.message).toBe(
    `${rule.id} would refuse requests of 11 clients (above 10): confirm it with acknowledgeRadius`,
  );
  expect(failure.details).toMatchObject({
    reason: "radius",
    radius: [
      {
        rule: rule.id,
        clients: 11,
        rejections: 200,
        topClients: [{ client: "client-0" }, {}, {}, {}, {}],
      },
    ],
  });
  const enforced = await failureOf(publishRule({ ...rule, mode: "enforce" }), "conflict");
  expect(enforced.details).toMatchObject({ reason: "radius" });
  const draft = await getDraft(ctx);
  expect(draft.evidence).toMatchObject([
    { rule: rule.id, enough: true, radius: { clients: 11, above: [expect.any(String)] } },
  ]);
  const made = await setRuleMode(ctx, { ...mode, acknowledgeRadius: true });
  const [row] = (await listAudit(ctx, { version: made.version })).items;
  expect(row?.details).toMatchObject({ acknowledgedRadius: [{ rule: rule.id, clients: 11 }] });
});

test("an enforced rule that gets stricter asks for evidence by every door; one that only allows more does not", async () => {
  const { ctx } = world;
  const rule = { ...(await shadowRule()), mode: "enforce" as const };
  await setRuleMode(ctx, { id: rule.id, mode: "enforce", reason, acknowledgeGaps: true });
  const limited = (rate: number) => ({ ...rule.limit, default: { rate, per: "1m", burst: rate } });
  const stricter = await failureOf(publishRule({ ...rule, limit: limited(10) }), "conflict");
  expect(stricter.details).toMatchObject({ reason: "evidence", evidence: [{ rule: rule.id }] });
  expect((await getDraft(ctx)).evidence).toMatchObject([{ rule: rule.id, enough: false }]);
  await publishRule({ ...rule, name: "Another name", limit: limited(600) });
  await failureOf(publishRule({ ...tokenBucketRule({ id: "enforced-at-once" }) }), "conflict");
  await publishRule(tokenBucketRule({ id: "enforced-at-once" }), true);
});

test("the warn step is on the way: what plain shadow counted is evidence for it, and enforcing ends the warnings", async () => {
  const { ctx } = world;
  const rule = await shadowRule();
  clock.advance(3 * 3_600_000);
  await countInShadow(world, { id: rule.id, requestsPerMinute: 20 });
  await publishRule({ ...rule, warn: true });
  expect((await getRule(ctx, { id: rule.id })).rule.warn).toBe(true);
  const made = await setRuleMode(ctx, { id: rule.id, mode: "enforce", reason });
  expect(made.acknowledgedGaps).toEqual([]);
  expect((await getRule(ctx, { id: rule.id })).rule).toEqual({ ...rule, mode: "enforce" });
  await setRuleMode(ctx, { id: rule.id, mode: "shadow", reason });
  expect((await getRule(ctx, { id: rule.id })).rule.warn).toBeUndefined();
});

test("to shadow, to off and back by rollback never ask for evidence", async () => {
  const { ctx } = world;
  const { id } = await shadowRule();
  const enforced = await setRuleMode(ctx, { id, mode: "enforce", reason, acknowledgeGaps: true });
  await setRuleMode(ctx, { id, mode: "shadow", reason });
  const back = await rollbackVersion(ctx, { number: enforced.version });
  expect(back).toMatchObject({ kind: "rollback", restores: enforced.version });
  expect((await getRule(ctx, { id })).mode).toBe("enforce");
  await setRuleMode(ctx, { id, mode: "off", reason });
  const rule = await rollbackRule(ctx, { id, revision: 2, reason: "it was fine" });
  expect((await getRule(ctx, { id })).mode).toBe("enforce");
  const [row] = (await listAudit(ctx, { version: rule.version })).items;
  expect(row?.sentence).toBe(`Dana rolled rule ${id} back to revision 2 (version ${rule.version})`);
});

test("a mode change leaves drafts alone: their base is stale, without a conflict where nothing overlaps", async () => {
  const { ctx } = world;
  const { id } = await shadowRule();
  await putDraftItem(ctx, {
    kind: "rule",
    id: "unrelated",
    body: tokenBucketRule({ id: "unrelated", mode: "off" }),
  });
  const { currentVersion: baseVersion } = await getDraft(ctx);
  await setRuleMode(ctx, { id, mode: "off", reason });
  const draft = await getDraft(ctx);
  expect(draft).toMatchObject({ stale: true, baseVersion, changes: [{ id: "unrelated" }] });
  const failure = await failureOf(publish(ctx, { message: "m", baseVersion }), "conflict");
  expect(failure.details).toMatchObject({ reason: "stale", conflicts: [] });
});

test("a stale expectVersion is refused with what changed; a double click is one version", async () => {
  const { ctx } = world;
  const { id } = await shadowRule();
  const { currentVersion: expectVersion } = await getDraft(ctx);
  const click = () => setRuleMode(ctx, { id, mode: "off", reason, expectVersion });
  const outcomes = await Promise.allSettled([click(), click()]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const failure = await failureOf(
    setRuleMode(ctx, { id, mode: "enforce", reason, expectVersion }),
    "conflict",
  );
  expect(failure.details).toMatchObject({
    reason: "stale",
    current: expectVersion + 1,
    conflicts: [
      { id, base: { mode: "shadow" }, theirs: { mode: "off" }, mine: { mode: "enforce" } },
    ],
  });
  const same = await failureOf(setRuleMode(ctx, { id, mode: "off", reason }), "conflict");
  expect(same.message).toBe(`rule ${id} is in mode off already`);
});

test("who may not, what is not there and what is wrong is refused", async () => {
  const { ctx } = world;
  const { id } = await shadowRule();
  await failureOf(setRuleMode(world.as(EDITOR), { id, mode: "off", reason }), "forbidden");
  await failureOf(rollbackRule(world.as(GATEWAY), { id, revision: 1 }), "forbidden");
  await failureOf(rollbackVersion(world.as(EDITOR), { number: 1 }), "forbidden");
  await failureOf(setRuleMode(ctx, { id: "nothing", mode: "off", reason }), "not_found");
  await failureOf(rollbackRule(ctx, { id, revision: 9 }), "not_found");
  await failureOf(rollbackVersion(ctx, { number: 9_999 }), "not_found");
  const invalid = await failureOf(setRuleMode(ctx, { id, mode: "off", reason: "" }), "invalid");
  expect(invalid.errors).toEqual([{ path: "reason", message: "reason must not be empty" }]);
});

test("a rollback has the old content under a new number, with the old revisions", async () => {
  const { ctx } = world;
  const rule = await shadowRule();
  const { currentVersion: old } = await getDraft(ctx);
  await publishRule({ ...rule, name: "Renamed" });
  const made = await rollbackVersion(ctx, { number: old });
  const [before, after] = [
    await getVersion(ctx, { number: old }),
    await getVersion(ctx, { number: made.version }),
  ];
  expect(after.body).toEqual(before.body);
  expect(after.hash).toBe(before.hash);
  const same = await failureOf(rollbackVersion(ctx, { number: made.version }), "conflict");
  expect(same.details).toMatchObject({ reason: "unchanged" });
});

test("a responder takes a rule out of enforce and rolls back, and enforces nothing", async () => {
  const { ctx } = world;
  const { id } = await shadowRule();
  await setRuleMode(ctx, { id, mode: "enforce", reason, acknowledgeGaps: true });
  const responder = world.as(RESPONDER);
  await setRuleMode(responder, { id, mode: "shadow", reason });
  for (const mode of ["enforce", "off"] as const)
    await failureOf(
      setRuleMode(responder, { id, mode, reason, acknowledgeGaps: true }),
      "forbidden",
    );
  await rollbackRule(responder, { id, revision: 2 });
  expect((await getRule(ctx, { id })).mode).toBe("enforce");
});
