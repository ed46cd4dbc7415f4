import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey, SYSTEM, withActor } from "../control";
import { ingestBatches } from "../control/ingest-batches";
import { inTransaction } from "../db/client";
import { emptyRollUps, levelDifferences } from "../testing/roll-up-levels";
import { type ControlWorld, controlWorld, countBatch } from "../testing/worker";
import { advanceDirectory } from "./advance-directory";
import { keepPartitions } from "./partitions";
import { KEPT_MS, retain } from "./retention";
import type { WorkerCtx } from "./worker-context";

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

const PARTS = ["count", "client", "gateway"] as const;

/** Where rows are, by the name of their partition. */
async function partitions(table: string): Promise<string[]> {
  const rows = await world.control.db.$queryRawUnsafe<{ name: string }[]>(
    `SELECT DISTINCT tableoid::regclass::text AS name FROM ${table} ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

function atTime(worker: WorkerCtx, nowMs: number): WorkerCtx {
  return { ...worker, clock: { nowMs: () => nowMs, monotonicMs: () => 0 } };
}

function ingest(fromMs: number, sequence: number) {
  const row = { rule: "r", revision: 1, mode: "shadow", lane: "live", plan: "free" } as const;
  const figures = { requests: 5, rejections: 2, newly: 1 };
  const batch = countBatch({
    environment: world.control.environment,
    gateway: "gw-part",
    sequence,
    fromMs,
    counts: [{ second: Math.floor(fromMs / 1000), route: "other", ...row, ...figures }],
    clients: [{ minute: Math.floor(fromMs / 60_000), client: "key:a", ...row, ...figures }],
  });
  return inTransaction(world.control.db, (tx) => ingestBatches(tx, [batch]));
}

test("rows from before their partition was made are moved into it, and every level still says the same", async () => {
  const { db } = world.control;
  await emptyRollUps(db);
  const worker = await world.openWorker();
  const future = Date.UTC(2031, 4, 14, 9, 30);
  await ingest(future, 1);
  for (const part of PARTS) {
    expect(await partitions(`${part}_minute`)).toEqual([`${part}_minute_default`]);
    expect(await partitions(`${part}_hour`)).toEqual([`${part}_hour_default`]);
  }
  const { made } = await keepPartitions(atTime(worker, future));
  expect(made).toContain("count_minute_20310515");
  expect((await keepPartitions(atTime(worker, future))).made).toEqual([]);
  await ingest(future + 60_000, 2);
  for (const part of PARTS) {
    expect(await partitions(`${part}_minute`)).toEqual([`${part}_minute_20310514`]);
    expect(await partitions(`${part}_hour`)).toEqual([`${part}_hour_20310512`]);
  }
  expect(await partitions("count_day")).toEqual(["count_day_20310501"]);
  expect(await levelDifferences(db)).toEqual([]);
  expect((await db.countDay.findMany()).map(({ requests }) => requests)).toEqual([10n]);
});

test("each level's partitions go when all of them is older than it is kept, the finest first", async () => {
  const { db } = world.control;
  const worker = await world.openWorker();
  const future = Date.UTC(2031, 4, 14, 9, 30);
  const counts = async () => [
    await db.countMinute.count(),
    await db.countHour.count(),
    await db.countDay.count(),
  ];
  await keepPartitions(atTime(worker, future + KEPT_MS.minutes));
  expect(await counts()).toEqual([2, 1, 1]);
  const { dropped } = await keepPartitions(atTime(worker, future + KEPT_MS.minutes + DAY));
  expect(dropped).toEqual(expect.arrayContaining(["count_minute_20310514", "hit_sample_20310514"]));
  expect(await counts()).toEqual([0, 1, 1]);
  await keepPartitions(atTime(worker, future + KEPT_MS.hours + 7 * DAY));
  expect(await counts()).toEqual([0, 0, 1]);
  expect(await db.clientDay.count()).toBe(1);
  await keepPartitions(atTime(worker, future + KEPT_MS.days + 31 * DAY));
  expect(await counts()).toEqual([0, 0, 0]);
  await keepPartitions(worker);
  await emptyRollUps(db);
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
