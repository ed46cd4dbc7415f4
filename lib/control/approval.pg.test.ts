import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ADMIN,
  createTestControl,
  PUBLISHER,
  RESPONDER,
  type TestControl,
} from "../testing/control";
import { failureOf } from "../testing/failure";
import { tokenBucketRule } from "../testing/rules";
import {
  type Actor,
  approveChangeRequest,
  createApiToken,
  discardDraft,
  getChangeRequest,
  getDraft,
  getRule,
  listAudit,
  listChangeRequests,
  publish,
  putDraftItem,
  rejectChangeRequest,
  rollbackRule,
  setApprovalSetting,
  setRuleMode,
  withdrawChangeRequest,
} from ".";

let world: TestControl;
beforeAll(async () => {
  world = await createTestControl();
  const alone = await failureOf(setApprovalSetting(world.ctx, { required: true }), "conflict");
  expect(alone.message).toContain("approval needs two people who may publish, there are none");
  await world.control.db.user.createMany({
    data: [ADMIN, PUBLISHER].map(({ id, name }) => ({
      id,
      name,
      email: `${id}@example.com`,
      role: "publisher",
    })),
  });
  for (const id of ["one", "two", "three", "four"]) {
    await putDraftItem(world.ctx, { kind: "rule", id, body: shadow(id) });
  }
  await publish(world.ctx, { message: "four rules", baseVersion: 1 });
  await setApprovalSetting(world.ctx, { required: true });
});
afterAll(() => world.close());

const shadow = (id: string) => tokenBucketRule({ id, mode: "shadow" });
const enforced = (id: string, name = "N") => tokenBucketRule({ id, mode: "enforce", name });

async function requestOf(work: Promise<unknown>): Promise<{ id: string; contentHash: string }> {
  const failure = await failureOf(work, "conflict");
  expect(failure.details).toMatchObject({ reason: "approval" });
  const { changeRequest } = failure.details as {
    changeRequest: { id: string; contentHash: string };
  };
  return { id: changeRequest.id, contentHash: changeRequest.contentHash };
}

const enforce = (id: string, actor: Actor = ADMIN) =>
  setRuleMode(world.as(actor), { id, mode: "enforce", reason: "seen", acknowledgeGaps: true });

async function publishDraft(actor: Actor = ADMIN) {
  const { baseVersion } = await getDraft(world.as(actor));
  const wanted = { message: "stricter", baseVersion, acknowledgeGaps: true };
  return publish(world.as(actor), wanted);
}

test("an enforce waits for somebody else, who makes it, with both in the audit log", async () => {
  const request = await requestOf(enforce("one"));
  expect(await requestOf(enforce("one"))).toEqual(request);
  expect((await getRule(world.ctx, { id: "one" })).mode).toBe("shadow");
  const own = await failureOf(approveChangeRequest(world.ctx, request), "forbidden");
  expect(own.message).toContain("a change is approved by somebody else than its author");
  await failureOf(approveChangeRequest(world.as(RESPONDER), request), "forbidden");
  const other = { ...request, contentHash: "0".repeat(64) };
  await failureOf(approveChangeRequest(world.as(PUBLISHER), other), "conflict");
  const made = await approveChangeRequest(world.as(PUBLISHER), request);
  expect(made.kind).toBe("mode");
  expect((await getRule(world.ctx, { id: "one" })).mode).toBe("enforce");
  expect(await getChangeRequest(world.ctx, request)).toMatchObject({
    state: "approved",
    version: made.version,
    decidedBy: { id: "pat" },
    changes: [{ kind: "rule", id: "one" }],
  });
  const again = await failureOf(approveChangeRequest(world.as(PUBLISHER), request), "conflict");
  expect(again.message).toContain("was approved already");
  const { items } = await listAudit(world.ctx, { action: "rule.mode" });
  expect(items[0]?.sentence).toBe(
    `Pat approved what Dana asked for: set rule one from shadow to enforce (version ${made.version}), although evidence was missing`,
  );
});

test("of two who approve at once one makes it", async () => {
  const request = await requestOf(enforce("two"));
  const third = { ...PUBLISHER, id: "third", name: "Third" };
  const both = await Promise.allSettled(
    [PUBLISHER, third].map((actor) => approveChangeRequest(world.as(actor), request)),
  );
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("an approval is of exactly what was asked for: an edit of the draft ends it", async () => {
  const { ctx } = world;
  await putDraftItem(ctx, { kind: "rule", id: "three", body: enforced("three") });
  const request = await requestOf(publishDraft());
  expect((await getDraft(ctx)).changes).toHaveLength(1);
  await putDraftItem(ctx, { kind: "rule", id: "three", body: enforced("three", "Edited") });
  const late = await failureOf(approveChangeRequest(world.as(PUBLISHER), request), "conflict");
  expect(late.message).toContain("its draft was edited since");
  const next = await requestOf(publishDraft());
  expect(next.id).not.toBe(request.id);
  expect(await getChangeRequest(ctx, request)).toMatchObject({
    state: "withdrawn",
    reason: "replaced by a later request",
  });
  await approveChangeRequest(world.as(PUBLISHER), next);
  expect((await getDraft(ctx)).changes).toEqual([]);
  expect((await getRule(ctx, { id: "three" })).rule).toMatchObject({ name: "Edited" });
});

test("what was published since ends it, too; and it can be rejected or withdrawn", async () => {
  const { ctx } = world;
  const request = await requestOf(enforce("four"));
  await setRuleMode(ctx, { id: "one", mode: "shadow", reason: "calm" });
  const stale = await failureOf(approveChangeRequest(world.as(PUBLISHER), request), "conflict");
  expect(stale.details).toMatchObject({ reason: "stale" });
  expect((await getChangeRequest(ctx, request)).outdated).toContain("is live, this is based on");
  const [listed] = (await listChangeRequests(ctx, { state: "open" })).items;
  expect(listed?.id).toBe(request.id);
  const { id } = request;
  await failureOf(withdrawChangeRequest(world.as(PUBLISHER), { id }), "forbidden");
  const rejected = await rejectChangeRequest(world.as(PUBLISHER), { id, reason: "later" });
  expect(rejected).toMatchObject({ state: "rejected", reason: "later" });
  await failureOf(withdrawChangeRequest(ctx, request), "conflict");
  const second = await requestOf(enforce("four"));
  expect((await withdrawChangeRequest(ctx, second)).state).toBe("withdrawn");
});

test("to shadow, a rollback and what only allows more need nobody else", async () => {
  const { ctx } = world;
  await setRuleMode(world.as(RESPONDER), { id: "two", mode: "shadow", reason: "night" });
  await rollbackRule(ctx, { id: "two", revision: 2 });
  expect((await getRule(ctx, { id: "two" })).mode).toBe("enforce");
  const more = {
    ...enforced("two"),
    limit: {
      kind: "rate",
      algorithm: "token-bucket",
      default: { rate: 1e9, per: "1s", burst: 1e9 },
    },
  };
  await discardDraft(ctx);
  await putDraftItem(ctx, { kind: "rule", id: "two", body: { ...more, name: "per-key" } });
  await publishDraft();
});

test("a token asks for who made it, and approves nothing", async () => {
  const made = await createApiToken(world.as(ADMIN), { name: "CI", scopes: ["admin"] });
  const token: Actor = { type: "token", id: made.id, name: "CI", scopes: ["admin"] };
  const request = await requestOf(enforce("four", token));
  await failureOf(approveChangeRequest(world.as(token), request), "forbidden");
  const other: Actor = { type: "token", id: "t2", name: "Other", scopes: ["admin"] };
  const byToken = await failureOf(approveChangeRequest(world.as(other), request), "forbidden");
  expect(byToken.message).toContain("only a person approves");
  await failureOf(approveChangeRequest(world.ctx, request), "forbidden");
  await approveChangeRequest(world.as(PUBLISHER), request);
});
