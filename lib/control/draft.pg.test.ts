import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestControl, GATEWAY, type TestControl, VIEWER } from "../testing/control";
import { failureOf } from "../testing/failure";
import { tokenBucketRule } from "../testing/rules";
import {
  type Ctx,
  createKey,
  deleteDraftItem,
  discardDraft,
  getDraft,
  listAudit,
  publish,
  putDraftItem,
  rebaseDraft,
  revertDraftItem,
  rollbackVersion,
  setRuleMode,
} from ".";

let world: TestControl;
let people = 0;
beforeAll(async () => {
  world = await createTestControl({ demo: true });
});
afterAll(() => world.close());

/** Somebody with a draft of their own. */
function somebody(): Ctx {
  people += 1;
  return world.as({ type: "user", id: `u${people}`, name: `U${people}`, role: "publisher" });
}

async function liveRule(id: string) {
  const row = await world.control.db.revision.findFirstOrThrow({
    where: { kind: "rule", objectId: id },
    orderBy: { n: "desc" },
  });
  return row.body;
}

function withName(body: unknown, name: string): object {
  return { ...(typeof body === "object" ? body : {}), name };
}

test("a draft begins with its first change, is its owner's alone, and ends when nothing differs any more", async () => {
  const [ctx, other] = [somebody(), somebody()];
  const rule = await liveRule("per-key-rate");
  const before = await getDraft(ctx);
  expect(before).toMatchObject({ changes: [], createdAt: null, stale: false });
  const saved = await putDraftItem(ctx, {
    kind: "rule",
    id: "per-key-rate",
    body: withName(rule, "Renamed"),
  });
  expect(saved.change).toMatchObject({
    op: "put",
    edit: 1,
    change: { op: "changed", loud: false },
    diff: [{ path: "name", after: "Renamed" }],
  });
  expect((await getDraft(ctx)).changes).toHaveLength(1);
  expect((await getDraft(other)).changes).toHaveLength(0);
  const back = await putDraftItem(ctx, { kind: "rule", id: "per-key-rate", body: rule });
  expect(back.change).toBeNull();
  expect(await getDraft(ctx)).toEqual(before);
});

test("of two tabs the later save is told of the earlier one, with both texts", async () => {
  const ctx = somebody();
  const rule = await liveRule("per-key-rate");
  const save = (name: string, edit: number) =>
    putDraftItem(ctx, { kind: "rule", id: "per-key-rate", body: withName(rule, name), edit });
  await save("first", 0);
  await failureOf(save("blind", 0), "conflict");
  await save("second", 1);
  const failure = await failureOf(save("third", 1), "conflict");
  expect(failure.details).toMatchObject({
    reason: "edit",
    edit: 2,
    theirs: { name: "second" },
    mine: { name: "third" },
  });
  await failureOf(revertDraftItem(ctx, { kind: "rule", id: "per-key-rate", edit: 1 }), "conflict");
  await revertDraftItem(ctx, { kind: "rule", id: "per-key-rate", edit: 2 });
  const gone = await failureOf(save("late", 2), "conflict");
  expect(gone.message).toContain("is not in your draft any more");
});

test("a save over what somebody published since the form was opened is told of it, with both texts", async () => {
  const [ctx, other] = [somebody(), somebody()];
  const [id, kind] = ["raced", "rule" as const];
  const body = (name: string) => ({ ...tokenBucketRule({ id, mode: "off" }), name });
  const release = async (name: string) => {
    await putDraftItem(other, { kind, id, body: body(name) });
    const { baseVersion } = await getDraft(other);
    return (await publish(other, { message: name, baseVersion })).version;
  };
  const opened = await release("one");
  const live = await release("two");
  const save = (baseVersion: number) =>
    putDraftItem(ctx, { kind, id, body: body("mine"), edit: 0, baseVersion });
  const failure = await failureOf(save(opened), "conflict");
  expect(failure.message).toBe(
    `rule raced was published otherwise since you opened it (version ${live}, yours is of ${opened})`,
  );
  expect(failure.details).toMatchObject({
    reason: "base",
    edit: 0,
    baseVersion: live,
    theirs: { name: "two" },
    mine: { name: "mine" },
  });
  const taken = await failureOf(save(0), "conflict");
  expect(taken.message).toBe(`rule raced is there already, in version ${live}`);
  await failureOf(deleteDraftItem(ctx, { kind, id, baseVersion: opened }), "conflict");
  expect((await getDraft(ctx)).changes).toEqual([]);
  await release("three");
  // Another object's change is no reason.
  const since = await getDraft(ctx);
  await putDraftItem(other, { kind, id: "else", body: { ...body("x"), id: "else" } });
  await publish(other, { message: "else", baseVersion: since.baseVersion });
  expect((await save(since.baseVersion)).change).toMatchObject({ edit: 1 });
  await discardDraft(ctx);
});

test("two tabs that save at once make one draft and lose neither object", async () => {
  const ctx = somebody();
  const ids = ["a", "b", "c", "d", "e", "f"];
  await Promise.all(
    ids.map((id) =>
      putDraftItem(ctx, { kind: "rule", id, body: tokenBucketRule({ id, mode: "off" }) }),
    ),
  );
  expect((await getDraft(ctx)).changes.map(({ id }) => id)).toEqual(ids);
  await discardDraft(ctx);
});

test("every kind of object is edited, and deleting is undone by reverting", async () => {
  const ctx = somebody();
  await putDraftItem(ctx, { kind: "plan", id: "trial", body: { name: "Trial", rank: 0 } });
  await putDraftItem(ctx, { kind: "routes", id: "routes", body: ["/v1/other"] });
  await putDraftItem(ctx, { kind: "settings", id: "settings", body: { unknownKey: "reject" } });
  await putDraftItem(ctx, { kind: "lists", id: "allow", body: [{ value: "198.51.100.1" }] });
  await deleteDraftItem(ctx, { kind: "rule", id: "new-links-free" });
  const draft = await getDraft(ctx);
  expect(draft.changes.map(({ kind, id, change }) => `${kind} ${id} ${change.op}`)).toEqual([
    "lists allow changed",
    "plan trial added",
    "routes routes changed",
    "rule new-links-free removed",
    "settings settings changed",
  ]);
  await deleteDraftItem(ctx, { kind: "lists", id: "allow" });
  await deleteDraftItem(ctx, { kind: "plan", id: "trial" });
  await revertDraftItem(ctx, { kind: "rule", id: "new-links-free" });
  expect((await getDraft(ctx)).changes.map(({ kind }) => kind)).toEqual(["routes", "settings"]);
  const { baseVersion } = await getDraft(ctx);
  await publish(ctx, { message: "routes and settings", baseVersion, acknowledgeGaps: true });
  await rollbackVersion(ctx, { number: baseVersion });
});

test("a plan in use is not deleted, and the sentence says by whom", async () => {
  const ctx = somebody();
  const inUse = await failureOf(deleteDraftItem(ctx, { kind: "plan", id: "free" }), "conflict");
  expect(inUse.message).toBe(
    "plan free (Free) cannot be deleted: 90 customers are on it; move them to another plan first",
  );
  await putDraftItem(ctx, { kind: "plan", id: "gold", body: { name: "Gold" } });
  const named = tokenBucketRule({ id: "gold-rule", mode: "off", match: { plans: ["gold"] } });
  await putDraftItem(ctx, { kind: "rule", id: "gold-rule", body: named });
  const byRule = await failureOf(deleteDraftItem(ctx, { kind: "plan", id: "gold" }), "conflict");
  expect(byRule.message).toContain("gold-rule names it; change that rule first");
  const { baseVersion } = await getDraft(ctx);
  const made = await publish(ctx, { message: "gold", baseVersion });
  await deleteDraftItem(ctx, { kind: "rule", id: "gold-rule" });
  await deleteDraftItem(ctx, { kind: "plan", id: "gold" });
  // A customer comes while the draft waits.
  await createKey(world.ctx, { plan: "gold", customer: "midas" });
  const late = await failureOf(
    publish(ctx, { message: "no gold", baseVersion: made.version }),
    "invalid",
  );
  expect(late.errors).toEqual([
    {
      path: "plans.gold",
      message:
        "plan gold (Gold) cannot be deleted: 1 customer is on it; move them to another plan first",
    },
  ]);
  await discardDraft(ctx);
  // A rollback goes through: the key keeps its plan's name, and gateways give it each rule's default.
  await rollbackVersion(ctx, { number: baseVersion });
  const customer = await world.control.db.customer.findUnique({ where: { id: "midas" } });
  expect(customer?.plan).toBe("gold");
});

test("a rebase moves the base, says what both changed, and drops what is live already", async () => {
  const ctx = somebody();
  const rule = await liveRule("new-links-free");
  await putDraftItem(ctx, {
    kind: "rule",
    id: "new-links-free",
    body: { ...withName(rule, "New links on the free plan"), mode: "off" },
  });
  await putDraftItem(ctx, { kind: "plan", id: "extra", body: { name: "Extra" } });
  await setRuleMode(world.ctx, { id: "new-links-free", mode: "off", reason: "the same" });
  expect((await getDraft(ctx)).stale).toBe(true);
  const rebased = await rebaseDraft(ctx);
  expect(rebased).toMatchObject({ stale: false, conflicts: [], changes: [{ id: "extra" }] });
  const { items } = await listAudit(world.ctx, { action: "draft.rebase" });
  expect(items[0]?.sentence).toMatch(/^U\d+ rebased a draft from version \d+ to \d+$/);
  await discardDraft(ctx);
  const [discarded] = (await listAudit(world.ctx, { action: "draft.discard" })).items;
  expect(discarded?.sentence).toContain("discarded a draft of 1 change on version");
});

test("a draft says what publishing it needs", async () => {
  const ctx = somebody();
  const id = "scanner";
  await putDraftItem(ctx, { kind: "rule", id, body: tokenBucketRule({ id, cost: 100 }) });
  const draft = await getDraft(ctx);
  expect(draft.evidence).toMatchObject([
    { rule: id, enough: false, because: "a new rule starts in enforce" },
  ]);
  expect(draft.lint.filter(({ level }) => level === "error")).toMatchObject([
    { code: "burst-below-cost", id },
  ]);
  const failure = await failureOf(
    publish(ctx, { message: "m", baseVersion: draft.baseVersion, acknowledgeGaps: true }),
    "invalid",
  );
  expect(failure.errors[0]?.path).toBe("rules.scanner.limit.default.burst");
});

test("who may not, what is not there and what is wrong is refused at the field", async () => {
  const ctx = somebody();
  const body = tokenBucketRule({ id: "x" });
  await failureOf(putDraftItem(world.as(VIEWER), { kind: "rule", id: "x", body }), "forbidden");
  await failureOf(discardDraft(world.as(GATEWAY)), "forbidden");
  await failureOf(deleteDraftItem(ctx, { kind: "rule", id: "nothing" }), "not_found");
  const other = await failureOf(putDraftItem(ctx, { kind: "rule", id: "y", body }), "invalid");
  expect(other.errors).toEqual([
    { path: "id", message: 'id must be "y" as in the address, got "x": an id never changes' },
  ]);
  const wrong = {
    ...body,
    limit: { ...body.limit, default: { rate: 1, per: "1m", burst: 0 } },
    extra: 1,
  };
  const fields = await failureOf(
    putDraftItem(ctx, { kind: "rule", id: "x", body: wrong }),
    "invalid",
  );
  expect(fields.errors.map(({ path }) => path)).toContain("limit.default.burst");
  const reserved = { kind: "plan" as const, id: "anonymous", body: { name: "A" } };
  expect((await failureOf(putDraftItem(ctx, reserved), "invalid")).errors[0]?.message).toContain(
    "reserved",
  );
  await failureOf(putDraftItem(ctx, { kind: "lists", id: "vip", body: [] }), "invalid");
  await failureOf(putDraftItem(ctx, { kind: "rule", id: "Bad Id", body }), "invalid");
});
