import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey, SYSTEM, withActor } from "../control";
import { ingestBatches } from "../control/ingest-batches";
import { inTransaction } from "../db/client";
import { type ControlWorld, controlWorld, countBatch } from "../testing/worker";
import { advanceDirectory } from "./advance-directory";
import { KEPT_MS, retain } from "./retention";

let world: ControlWorld;
beforeAll(async () => {
  world = await controlWorld({ demo: true });
});
afterAll(() => world.close());

const DAY = 86_400_000;

test("each row goes when its time is over, and not before", async () => {
  const { db, environment } = world.control;
  const now = Date.now();
  const row = (ageMs: number) => new Date(now - ageMs);
  const count = {
    ruleId: "r",
    revision: 1,
    mode: "shadow",
    lane: "live",
    plan: "free",
    route: "other",
    requests: 1,
    rejections: 0,
    newly: 0,
    kept: 0,
  };
  await db.countMinute.createMany({
    data: [KEPT_MS.minutes + DAY, KEPT_MS.minutes - DAY].map((age) => ({
      ...count,
      minute: row(age),
    })),
  });
  await db.alert.createMany({
    data: [
      {
        id: "old",
        kind: "redis-down",
        subject: "redis",
        severity: "critical",
        message: "m",
        raisedAt: row(200 * DAY),
        resolvedAt: row(199 * DAY),
      },
      {
        id: "open",
        kind: "redis-down",
        subject: "redis",
        severity: "critical",
        message: "m",
        raisedAt: row(200 * DAY),
      },
    ],
  });
  await db.outbox.updateMany({ data: { doneAt: row(KEPT_MS.outbox + DAY) } });
  await retain(await world.openWorker());
  expect(await db.countMinute.count()).toBe(1);
  expect((await db.alert.findMany()).map(({ id }) => id)).toEqual(["open"]);
  expect(await db.outbox.count()).toBe(0);
  expect(await db.version.count()).toBe(1);
  expect(environment).toBeTruthy();
});

test("the newest batch of a boot stays, so that the next one leaves no gap", async () => {
  const { db, environment } = world.control;
  const batch = (sequence: number) => countBatch({ environment, sequence });
  await inTransaction(db, (tx) => ingestBatches(tx, [batch(1), batch(2), batch(3)]));
  await db.ingestedBatch.updateMany({ data: { ingestedAt: new Date(Date.now() - 3 * DAY) } });
  await retain(await world.openWorker());
  expect((await db.ingestedBatch.findMany()).map(({ sequence }) => sequence)).toEqual([3]);
  await inTransaction(db, (tx) => ingestBatches(tx, [batch(4)]));
  const { _sum } = await db.gatewayMinute.aggregate({ _sum: { missingBatches: true } });
  expect(_sum.missingBatches).toBe(0);
});

test("steps of the directory go once the base in Redis holds them", async () => {
  const worker = await world.openWorker();
  const { db, redis, redisKeys } = world.control;
  await advanceDirectory(worker);
  const inBase = await db.directoryChange.count();
  await createKey(withActor(world.control, SYSTEM), { plan: "free", name: "later" });
  const all = await db.directoryChange.count();
  await db.directoryChange.updateMany({ data: { createdAt: new Date(Date.now() - 2 * DAY) } });
  await retain(worker);
  expect(await db.directoryChange.count()).toBe(all - inBase);
  await redis.del(redisKeys.directory);
  await retain(worker);
  expect(await db.directoryChange.count()).toBe(all - inBase);
});
