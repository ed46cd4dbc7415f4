import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Share } from "../core/candidate";
import { AppError } from "../core/errors";
import { createTestControl, EDITOR, RESPONDER, type TestControl, VIEWER } from "../testing/control";
import { ruleOf, tokenBucketRule } from "../testing/rules";
import {
  type Ctx,
  deleteDraftItem,
  diffDraftContent,
  discardDraft,
  dropCandidate,
  getDraft,
  getDraftContent,
  getDraftItem,
  getRule,
  listAudit,
  promoteCandidate,
  publish,
  putDraftItem,
  rollbackRule,
  setCandidateShare,
  tryCandidate,
} from ".";
import { getLive } from "./live-version";

let world: TestControl;
let ctx: Ctx;
let count = 0;
let id = "";

beforeAll(async () => {
  world = await createTestControl();
  ctx = world.ctx;
});
afterAll(() => world.close());

const perPlan = (free: number) => ({
  perPlan: { free: { rate: free, per: "1m", burst: free } },
  default: { rate: 6, per: "1m", burst: 6 },
});
const live = () => tokenBucketRule({ id, limit: perPlan(60) });
const tried = () => tokenBucketRule({ id, limit: perPlan(30) });

beforeEach(async () => {
  count += 1;
  id = `rule-${count}`;
  await publishOnly(live());
});

async function current(): Promise<number> {
  return (await getLive(ctx.db)).version;
}

async function publishOnly(body: { id: string }, kind: "rule" | "plan" = "rule") {
  await discardDraft(ctx);
  await putDraftItem(ctx, { kind, id: body.id, body });
  await publish(ctx, { message: body.id, baseVersion: await current(), acknowledgeGaps: true });
}

/** `conflict evidence: …` */
async function refused(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => "it was done",
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) return String(error);
  const { reason } = error.details;
  return `${error.code}${typeof reason === "string" ? ` ${reason}` : ""}: ${error.message}`;
}

const reason = "a reason";
const share = (to: Share, fields = {}) =>
  setCandidateShare(ctx, { id, share: to, reason, ...fields });

test("each verb says that there is no candidate, and that there is no rule", async () => {
  const none = "not_found: rule";
  expect(await refused(share(10))).toContain(none);
  expect(await refused(promoteCandidate(ctx, { id, reason }))).toContain(none);
  expect(await refused(dropCandidate(ctx, { id }))).toContain(none);
  const nothing = { id: "nothing", reason };
  expect(await refused(tryCandidate(ctx, nothing))).toContain(
    "not_found: there is no rule nothing",
  );
});

test("who may only look, edit or relax is refused what makes anything stricter, and a responder may take back", async () => {
  const trying = (who: Ctx) => tryCandidate(who, { id, rule: tried(), reason });
  for (const actor of [VIEWER, EDITOR, RESPONDER])
    expect(await refused(trying(world.as(actor)))).toContain("forbidden");
  await trying(ctx);
  for (const actor of [VIEWER, EDITOR, RESPONDER]) {
    const who = world.as(actor);
    expect(await refused(promoteCandidate(who, { id, reason }))).toContain("forbidden");
    const more = { id, share: 10, reason, acknowledgeGaps: true };
    expect(await refused(setCandidateShare(who, more))).toContain("forbidden");
  }
  await share(50, { acknowledgeGaps: true });
  expect(await refused(dropCandidate(world.as(EDITOR), { id }))).toContain("forbidden");
  await setCandidateShare(world.as(RESPONDER), { id, share: 1, reason });
  await dropCandidate(world.as(RESPONDER), { id });
  expect((await getRule(ctx, { id })).candidate).toBeNull();
  const { items } = await listAudit(ctx, { kind: "rule", object: id });
  expect(items.slice(0, 4).map(({ action, actor }) => [action, actor.name])).toEqual([
    ["candidate.drop", "Rae"],
    ["candidate.share", "Rae"],
    ["candidate.share", "Dana"],
    ["candidate.try", "Dana"],
  ]);
});

test("a version that is not the live one any more is refused, by each verb", async () => {
  const old = await current();
  await tryCandidate(ctx, { id, rule: tried(), reason });
  const stale = { id, reason, expectVersion: old };
  expect(await refused(tryCandidate(ctx, stale))).toContain("conflict stale");
  expect(await refused(share(10, { expectVersion: old }))).toContain("conflict stale");
  expect(await refused(promoteCandidate(ctx, stale))).toContain("conflict stale");
  expect(await refused(dropCandidate(ctx, { id, expectVersion: old }))).toContain("conflict stale");
  await dropCandidate(ctx, { id, expectVersion: await current() });
});

test("thin evidence refuses a share and a promotion of what is stricter, asks nothing of what is looser, and each is audited", async () => {
  await tryCandidate(ctx, { id, rule: tried(), reason });
  expect(await refused(share(1))).toContain("conflict evidence");
  expect(await refused(promoteCandidate(ctx, { id, reason }))).toContain("conflict evidence");
  const made = await promoteCandidate(ctx, { id, reason, acknowledgeGaps: true });
  expect(made.acknowledgedGaps[0]).toMatch(/^rule-\d+: plan free: 60 per 1m/);
  await tryCandidate(ctx, { id, rule: live(), reason });
  await share(100);
  await promoteCandidate(ctx, { id, reason });
  expect((await getRule(ctx, { id })).rule).toEqual(live());
});

test("what was only tried is no way back, what was promoted is", async () => {
  await tryCandidate(ctx, { id, rule: tried(), reason });
  await share(10, { acknowledgeGaps: true });
  const back = rollbackRule(world.as(RESPONDER), { id, revision: 2 });
  expect(await refused(back)).toContain("conflict never-live: revision 2");
  const { revisions } = await getRule(ctx, { id });
  expect(revisions.map(({ revision, wasLive }) => [revision, wasLive])).toEqual([
    [2, false],
    [1, true],
  ]);
  await promoteCandidate(ctx, { id, reason, acknowledgeGaps: true });
  await rollbackRule(world.as(RESPONDER), { id, revision: 1 });
  await rollbackRule(world.as(RESPONDER), { id, revision: 2 });
  expect((await getRule(ctx, { id })).rule).toEqual(tried());
});

test("a candidate in the shared place of another asks for evidence as the next step of those clients", async () => {
  await tryCandidate(ctx, { id, rule: tried(), reason });
  await share(10, { acknowledgeGaps: true });
  const stricter = tokenBucketRule({ id, limit: perPlan(10) });
  expect(await refused(tryCandidate(ctx, { id, rule: stricter, reason }))).toContain(
    "conflict evidence",
  );
  await tryCandidate(ctx, { id, rule: stricter, share: 0, reason });
});

test("a share outside 0 to 100, of a plan that is not there, of nobody's counter, or as it is already, is refused in words", async () => {
  await tryCandidate(ctx, { id, rule: tried(), reason });
  expect(await refused(share(101))).toContain("share must be 0..100, got 101");
  expect(await refused(share(-1))).toContain("share must be 0..100, got -1");
  expect(await refused(share({ gold: 10 }, { acknowledgeGaps: true }))).toContain("gold");
  expect(await refused(share(0))).toContain("conflict unchanged");
  expect(await refused(tryCandidate(ctx, { id, rule: tried(), reason }))).toContain("unchanged");
  const all = ruleOf(
    { kind: "rate", algorithm: "token-bucket", default: { rate: 30, per: "1m", burst: 30 } },
    { id, countBy: ["global"] },
  );
  await tryCandidate(ctx, { id, rule: all, share: 0, reason });
  expect(await refused(share(10, { acknowledgeGaps: true }))).toMatch(/^invalid: .*counts? by/);
  expect(await refused(tryCandidate(ctx, { id, rule: live(), reason }))).toContain("unchanged");
});

test("a change of the plans that makes a shared candidate stricter asks for evidence, one in shadow only does not", async () => {
  const plan = `team-${count}`;
  await publishOnly({ id: plan, name: "Team", rank: 9 } as { id: string }, "plan");
  const limit = {
    perPlan: { [plan]: { rate: 600, per: "1m", burst: 600 } },
    default: { rate: 60, per: "1m", burst: 60 },
  };
  const even = { default: { rate: 60, per: "1m", burst: 60 } };
  await publishOnly(tokenBucketRule({ id, limit: even }));
  const removal = async () => {
    await discardDraft(ctx);
    await putDraftItem(ctx, {
      kind: "candidate",
      id,
      body: { share: (await getRule(ctx, { id })).candidate?.share, rule: { ...withoutPlan, id } },
    });
    await deleteDraftItem(ctx, { kind: "plan", id: plan });
    return publish(ctx, { message: "no team", baseVersion: await current() });
  };
  const withoutPlan = tokenBucketRule({ id, limit: even, description: "no team" });
  await tryCandidate(ctx, { id, rule: tokenBucketRule({ id, limit }), reason });
  await share(10);
  expect(await refused(removal())).toContain("conflict evidence");
  await share(0);
  await removal();
});

test("a draft holds a candidate by its own address, text and diff keep it, and deleting it drops it", async () => {
  const { id: _id, ...unnamed } = tried();
  await putDraftItem(ctx, { kind: "candidate", id, body: { rule: unnamed } });
  const saved = await getDraftItem(ctx, { kind: "candidate", id });
  expect(saved.object.body).toEqual({ id, share: 0, rule: tried() });
  const { changes } = await getDraft(ctx);
  expect(changes.map(({ kind, change }) => [kind, change.sentence])).toEqual([
    ["candidate", expect.stringContaining(`tries a candidate of rule ${id} in shadow`)],
  ]);
  const { content } = await getDraftContent(ctx);
  expect(content.candidates?.[id]).toMatchObject({ rule: { id } });
  const same = await diffDraftContent(ctx, { content });
  expect(same.objects).toEqual([]);
  const without = await diffDraftContent(ctx, {
    content: { ...content, candidates: {} },
    prune: true,
  });
  expect(without.objects).toContainEqual(
    expect.objectContaining({ kind: "candidate", id, op: "removed" }),
  );
  await publish(ctx, { message: "try", baseVersion: await current() });
  expect((await getRule(ctx, { id })).candidate?.share).toBe(0);
  const bad = { rule: { ...tried(), mode: "shadow" } };
  expect(await refused(putDraftItem(ctx, { kind: "candidate", id, body: bad }))).toContain(
    "mode must be enforce, got shadow",
  );
  await deleteDraftItem(ctx, { kind: "candidate", id });
  await publish(ctx, { message: "drop", baseVersion: await current() });
  expect((await getRule(ctx, { id })).candidate).toBeNull();
});
