import { afterAll, beforeAll, expect, test } from "vitest";
import type { Rule } from "../core/rule";
import {
  createTestControl,
  EDITOR,
  GATEWAY,
  PUBLISHER,
  type TestControl,
} from "../testing/control";
import { failureOf } from "../testing/failure";
import { tokenBucketRule } from "../testing/rules";
import {
  type Ctx,
  discardDraft,
  getDraft,
  getSnapshot,
  getVersion,
  listAudit,
  publish,
  putDraftItem,
  rebaseDraft,
  rollbackVersion,
} from ".";

let test1: TestControl;
beforeAll(async () => {
  test1 = await createTestControl();
});
afterAll(() => test1.close());

async function current(ctx: Ctx): Promise<number> {
  return (await getDraft(ctx)).currentVersion;
}

function put(ctx: Ctx, rule: Rule) {
  return putDraftItem(ctx, { kind: "rule", id: rule.id, body: rule });
}

/** All others were told that their base is stale, and nothing else went wrong. */
function expectOneWinner(outcomes: readonly PromiseSettledResult<unknown>[]): void {
  const losses = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(losses).toHaveLength(outcomes.length - 1);
  for (const { reason } of losses)
    expect(reason).toMatchObject({ code: "conflict", details: { reason: "stale" } });
}

test("the first start publishes version 1: three plans, no rules", async () => {
  const version = await getVersion(test1.ctx, { number: 1 });
  expect(version).toMatchObject({ version: 1, kind: "initial", live: true, parent: null });
  expect(version.body.plans.map(({ id }) => id)).toEqual(["free", "paid", "enterprise"]);
  expect(version.body.rules).toEqual([]);
});

test("publish makes the draft the live version, with revision, slot, audit row and outbox row, and ends the draft", async () => {
  const { ctx } = test1;
  const rule = tokenBucketRule({ id: "first", mode: "shadow" });
  const base = await current(ctx);
  await put(ctx, rule);
  const made = await publish(ctx, { message: "a first rule", baseVersion: base });
  expect(made).toMatchObject({ version: base + 1, kind: "publish", acknowledgedGaps: [] });
  const version = await getVersion(ctx, { number: made.version });
  expect(version.body.rules).toEqual([
    { id: "first", live: { revision: 1, slot: expect.any(Number), rule } },
  ]);
  expect(version.changes).toMatchObject({ added: 1, changed: 0, removed: 0 });
  expect((await getDraft(ctx)).changes).toEqual([]);
  const [audit] = (await listAudit(ctx, { version: made.version })).items;
  expect(audit).toMatchObject({
    action: "version.publish",
    sentence: `Dana published "a first rule" (version ${made.version})`,
    actor: { type: "user", id: "dana", name: "Dana" },
  });
  const outbox = await test1.control.db.outbox.findFirst({ orderBy: { id: "desc" } });
  expect(outbox).toMatchObject({
    kind: "version",
    doneAt: null,
    payload: { kind: "version", version: made.version, epoch: made.epoch, hash: version.hash },
  });
});

test("an unchanged object keeps its revision; the next change is the next revision of that object only", async () => {
  const { ctx } = test1;
  const one = tokenBucketRule({ id: "one", mode: "shadow" });
  const two = tokenBucketRule({ id: "two", mode: "shadow" });
  await put(ctx, one);
  await put(ctx, two);
  const v1 = await publish(ctx, { message: "both", baseVersion: await current(ctx) });
  await put(ctx, { ...two, name: "Two" });
  const v2 = await publish(ctx, { message: "one of both", baseVersion: v1.version });
  const items = await test1.control.db.versionItem.findMany({
    where: { versionNumber: v2.version, kind: "rule", objectId: { in: ["one", "two"] } },
    orderBy: { objectId: "asc" },
  });
  expect(items.map(({ objectId, revision }) => [objectId, revision])).toEqual([
    ["one", 1],
    ["two", 2],
  ]);
  expect(await test1.control.db.revision.count({ where: { objectId: "one" } })).toBe(1);
  expect(await test1.control.db.revision.count({ where: { kind: "settings" } })).toBe(1);
});

test("of two that publish from one base, one wins and the other is told what both changed; nothing is lost", async () => {
  const [a, b] = [test1.as(PUBLISHER), test1.ctx];
  const rule = tokenBucketRule({ id: "contested", mode: "shadow" });
  await put(a, rule);
  const made = await publish(a, { message: "there", baseVersion: await current(a) });
  const base = made.version;
  await put(a, { ...rule, name: "By Pat" });
  await put(b, { ...rule, name: "By Dana" });
  await put(b, tokenBucketRule({ id: "only-dana", mode: "shadow" }));
  const outcomes = await Promise.allSettled([
    publish(a, { message: "a", baseVersion: base }),
    publish(b, { message: "b", baseVersion: base }),
  ]);
  expectOneWinner(outcomes);
  const isPatFirst = outcomes[0]?.status === "fulfilled";
  const loser = isPatFirst ? b : a;
  const failure = await failureOf(
    publish(loser, { message: "again", baseVersion: base }),
    "conflict",
  );
  expect(failure.details).toMatchObject({
    reason: "stale",
    current: base + 1,
    baseVersion: base,
    published: [{ version: base + 1, message: isPatFirst ? "a" : "b" }],
    conflicts: [
      {
        kind: "rule",
        id: "contested",
        base: { name: rule.name },
        theirs: { name: isPatFirst ? "By Pat" : "By Dana" },
        mine: { name: isPatFirst ? "By Dana" : "By Pat" },
      },
    ],
  });
  const kept = await getDraft(loser);
  expect(kept).toMatchObject({ stale: true, baseVersion: base, currentVersion: base + 1 });
  const rebased = await rebaseDraft(loser);
  expect(rebased).toMatchObject({ stale: false, baseVersion: base + 1 });
  expect(rebased.conflicts).toHaveLength(1);
  const second = await publish(loser, { message: "after rebase", baseVersion: base + 1 });
  expect(second.version).toBe(base + 2);
  const { body } = await getVersion(loser, { number: second.version });
  expect(body.rules.find(({ id }) => id === "contested")?.live?.rule.name).toBe(
    isPatFirst ? "By Dana" : "By Pat",
  );
});

test("twenty that publish at once from one base make one version, and then one after the other no gap", async () => {
  const base = await current(test1.ctx);
  const actors = Array.from({ length: 20 }, (_, i) =>
    test1.as({ type: "user", id: `p${i}`, name: `P${i}`, role: "publisher" }),
  );
  await Promise.all(
    actors.map((ctx, i) => put(ctx, tokenBucketRule({ id: `many-${i}`, mode: "shadow" }))),
  );
  const publishAll = async (who: Ctx[], baseVersion: number) => {
    const all = await Promise.allSettled(
      who.map((ctx) => publish(ctx, { message: "m", baseVersion })),
    );
    expectOneWinner(all);
    return who.filter((_, i) => all[i]?.status === "rejected");
  };
  let left = actors;
  for (let version = base; left.length > 0; version += 1) {
    const losers = await publishAll(left, version);
    await Promise.all(losers.map((ctx) => rebaseDraft(ctx)));
    left = losers;
  }
  const numbers = await test1.control.db.version.findMany({
    select: { number: true, parent: true, createdAt: true },
    orderBy: { number: "asc" },
  });
  expect(numbers.map(({ number }) => number)).toEqual(numbers.map((_, i) => i + 1));
  expect(numbers.every(({ number, parent }) => parent === (number === 1 ? null : number - 1))).toBe(
    true,
  );
  const times = numbers.map(({ createdAt }) => createdAt.getTime());
  expect(times).toEqual([...times].sort((a, b) => a - b));
  const { body } = await getVersion(test1.ctx, { number: base + 20 });
  expect(body.rules.filter(({ id }) => id.startsWith("many-"))).toHaveLength(20);
}, 60_000);

test("a double click is one version", async () => {
  const { ctx } = test1;
  await put(ctx, tokenBucketRule({ id: "double", mode: "shadow" }));
  const baseVersion = await current(ctx);
  const click = () => publish(ctx, { message: "click", baseVersion });
  const outcomes = await Promise.allSettled([click(), click()]);
  expectOneWinner(outcomes);
  expect(await current(ctx)).toBe(baseVersion + 1);
});

test("slots are one per rule and counting definition, and come back with a rollback", async () => {
  const { ctx } = test1;
  const rule = tokenBucketRule({ id: "slotted", mode: "shadow" });
  const slotAt = async (number: number) =>
    (await getVersion(ctx, { number })).body.rules.find(({ id }) => id === "slotted")?.live?.slot;
  const publishRule = async (body: Rule) => {
    await put(ctx, body);
    return (await publish(ctx, { message: "m", baseVersion: await current(ctx) })).version;
  };
  const a = await publishRule(rule);
  const b = await publishRule({ ...rule, countBy: ["ip"] });
  const c = await publishRule({ ...rule, countBy: ["ip"], cost: 2 });
  const { version: d } = await rollbackVersion(ctx, { number: a });
  const [slotA, slotB, slotC, slotD] = [
    await slotAt(a),
    await slotAt(b),
    await slotAt(c),
    await slotAt(d),
  ];
  expect(slotB).not.toBe(slotA);
  expect(slotC).toBe(slotB);
  expect(slotD).toBe(slotA);
});

test("the stored body's bytes are what the hash and the snapshot are made of", async () => {
  const snapshot = await getSnapshot(test1.as(GATEWAY));
  const row = await test1.control.db.version.findUniqueOrThrow({
    where: { number: snapshot.version },
  });
  const text = new TextDecoder().decode(snapshot.document);
  expect(text.slice(text.indexOf("\n") + 1)).toBe(new TextDecoder().decode(row.body));
  expect(row.hash).toBe(snapshot.hash);
});

test("bad input, wrong roles and empty drafts are refused in a sentence", async () => {
  const { ctx } = test1;
  const invalid = await failureOf(publish(ctx, { message: " ", baseVersion: -1 }), "invalid");
  expect(invalid.errors.map(({ path }) => path)).toEqual(["message", "baseVersion"]);
  const forbidden = await failureOf(
    publish(test1.as(EDITOR), { message: "m", baseVersion: 1 }),
    "forbidden",
  );
  expect(forbidden.message).toBe(
    "Eli (role editor) may not publish or change modes: that takes role publisher or admin, or a token of scope publish",
  );
  await failureOf(publish(test1.as(GATEWAY), { message: "m", baseVersion: 1 }), "forbidden");
  await discardDraft(ctx);
  const empty = await failureOf(
    publish(ctx, { message: "m", baseVersion: await current(ctx) }),
    "conflict",
  );
  expect(empty.details).toMatchObject({ reason: "empty" });
});

test("a rule that names an unknown plan, or a client on two lists, is not published", async () => {
  const { ctx } = test1;
  await put(
    ctx,
    tokenBucketRule({
      id: "golden",
      mode: "shadow",
      match: { plans: ["gold"] },
      limit: { perPlan: { gold: "unlimited" } },
    }),
  );
  await putDraftItem(ctx, { kind: "lists", id: "allow", body: [{ value: "ip:198.51.100.7" }] });
  await putDraftItem(ctx, { kind: "lists", id: "deny", body: [{ value: "198.51.100.7" }] });
  const baseVersion = await current(ctx);
  const failure = await failureOf(publish(ctx, { message: "m", baseVersion }), "invalid");
  expect(failure.errors.map(({ path }) => path).sort()).toEqual([
    "lists.deny.0.value",
    "rules.golden.limit.perPlan.gold",
    "rules.golden.match.plans.0",
  ]);
  expect(await current(ctx)).toBe(baseVersion);
  await discardDraft(ctx);
});
