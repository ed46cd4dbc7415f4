import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createKey, getKey, SYSTEM, withActor } from "../control";
import { ingestBatches } from "../control/ingest-batches";
import type { CountBatch } from "../core/counts";
import { inTransaction } from "../db/client";
import { appendCountBatch, ENTRY_FIELD } from "../redis/reports";
import { ensureGroup, readNew } from "../redis/streams";
import { emptyRollUps } from "../testing/roll-up-levels";
import { waitFor } from "../testing/wait-for";
import { type ControlWorld, controlWorld, countBatch } from "../testing/worker";
import { runIngestCounts } from "./ingest-counts";
import { INGEST_GROUP } from "./read-stream";
import type { WorkerCtx } from "./worker-context";

let world: ControlWorld;
let stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  world = await controlWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
  await world.control.redis.del(world.control.redisKeys.counts);
  await emptyRollUps(world.control.db);
  await world.control.db.rejectedEntry.deleteMany();
});
afterAll(() => Promise.all(stops.map((stop) => stop())));

const now = Math.floor(Date.now() / 60_000) * 60_000;

function batch(sequence: number, fields: Partial<CountBatch> = {}): CountBatch {
  return countBatch({
    environment: world.control.environment,
    sequence,
    fromMs: now,
    traffic: { requests: 10, refused: 1, local: 0, unchecked: 0 },
    counts: [
      {
        second: now / 1000,
        rule: "per-key-rate",
        revision: 1,
        mode: "enforce",
        lane: "live",
        plan: "free",
        route: "/v1/messages",
        requests: 10,
        rejections: 1,
        newly: 0,
      },
    ],
    ...fields,
  });
}

function start(worker: WorkerCtx) {
  const stopping = new AbortController();
  const ended = runIngestCounts(worker, stopping.signal);
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  stops.push(stop);
  return stop;
}

async function send(...batches: CountBatch[]) {
  for (const one of batches)
    await appendCountBatch(world.control.redis, world.control.redisKeys, one);
}

async function counted() {
  const { _sum } = await world.control.db.countMinute.aggregate({ _sum: { requests: true } });
  return Number(_sum.requests ?? 0);
}

async function gatewayMinutes() {
  const rows = await world.control.db.gatewayMinute.findMany({
    orderBy: [{ minute: "asc" }, { gatewayId: "asc" }],
  });
  return rows.map(({ gatewayId, batches, missingBatches, requests }) => ({
    gatewayId,
    batches,
    missingBatches,
    requests: Number(requests),
  }));
}

async function pending() {
  const { redis, redisKeys } = world.control;
  const [count] = await redis.xpending(redisKeys.counts, INGEST_GROUP);
  return { pending: count, left: await redis.xlen(redisKeys.counts) };
}

test("a batch becomes minute rows once, is acknowledged and leaves the stream", async () => {
  await send(
    batch(1, {
      clients: [
        {
          minute: now / 60_000,
          rule: "per-key-rate",
          revision: 1,
          mode: "enforce",
          lane: "live",
          plan: "free",
          client: "key:a",
          requests: 10,
          rejections: 1,
          newly: 0,
        },
      ],
      hits: [
        {
          atMs: now + 250,
          requestId: "r-1",
          rule: "per-key-rate",
          revision: 1,
          mode: "enforce",
          lane: "live",
          plan: "free",
          client: "key:a",
          method: "GET",
          route: "/v1/messages",
          epoch: 1,
          version: 1,
          retryAfterSeconds: null,
        },
      ],
    }),
    batch(2),
  );
  start(await world.openWorker());
  await waitFor(async () => (await counted()) === 20);
  await waitFor(async () => (await pending()).left === 0);
  expect((await pending()).pending).toBe(0);
  expect(await gatewayMinutes()).toEqual([
    { gatewayId: "gw-1", batches: 2, missingBatches: 0, requests: 20 },
  ]);
  const { db } = world.control;
  expect(await db.clientMinute.findMany()).toMatchObject([
    { client: "key:a", requests: 10n, rejections: 1n, minute: new Date(now) },
  ]);
  expect(await db.hitSample.findMany()).toMatchObject([
    { requestId: "r-1", at: new Date(now + 250), gatewayId: "gw-1", retryAfterSeconds: null },
  ]);
});

test("a batch that is sent twice, and again after it was stored, counts once", async () => {
  start(await world.openWorker());
  await send(batch(1), batch(1), batch(2));
  await waitFor(async () => (await counted()) === 20);
  await send(batch(2), batch(3));
  await waitFor(async () => (await counted()) === 30);
  await waitFor(async () => (await pending()).left === 0);
  expect(await counted()).toBe(30);
});

test("a worker that dies after it read, in the middle of its transaction, loses and doubles nothing", async () => {
  const dying = await world.openWorker();
  const { redisKeys, db } = dying;
  const reader = { stream: redisKeys.counts, group: INGEST_GROUP, consumer: dying.workerId };
  await ensureGroup(dying.redis, reader);
  await send(batch(1), batch(2), batch(3));
  const read = await readNew(dying.blocking.counts, reader, { count: 10, blockMs: 100 });
  expect(read).toHaveLength(3);
  const died = inTransaction(db, async (tx) => {
    await ingestBatches(tx, [batch(1), batch(2), batch(3)]);
    throw new Error("killed");
  });
  await expect(died).rejects.toThrow("killed");
  expect(await counted()).toBe(0);
  start(await world.openWorker());
  await waitFor(async () => (await counted()) === 30);
  await waitFor(async () => (await pending()).left === 0);
});

test("a worker that dies between commit and acknowledgement is taken over, and its batches count once", async () => {
  const dying = await world.openWorker();
  const reader = { stream: dying.redisKeys.counts, group: INGEST_GROUP, consumer: dying.workerId };
  await ensureGroup(dying.redis, reader);
  await send(batch(1), batch(2));
  await readNew(dying.blocking.counts, reader, { count: 10, blockMs: 100 });
  await inTransaction(dying.db, (tx) => ingestBatches(tx, [batch(1), batch(2)]));
  start(await world.openWorker());
  await send(batch(3));
  await waitFor(async () => (await pending()).left === 0);
  expect(await counted()).toBe(30);
});

test("two workers at once store each batch once", async () => {
  start(await world.openWorker());
  start(await world.openWorker());
  for (let sequence = 1; sequence <= 60; sequence += 1)
    await send(batch(sequence), batch(sequence, { gateway: "gw-2" }));
  await waitFor(async () => (await pending()).left === 0);
  expect(await counted()).toBe(1200);
  expect(await gatewayMinutes()).toEqual([
    { gatewayId: "gw-1", batches: 60, missingBatches: 0, requests: 600 },
    { gatewayId: "gw-2", batches: 60, missingBatches: 0, requests: 600 },
  ]);
});

test("what cannot be stored is set aside with its reason, and what stands behind it is stored", async () => {
  const { redis, redisKeys, db } = world.control;
  const good = batch(1);
  const add = (json: string) => redis.xadd(redisKeys.counts, "*", ENTRY_FIELD, json);
  await add("{not json");
  await add(JSON.stringify({ ...batch(2), sequence: 0 }));
  await add(JSON.stringify({ ...batch(3), environment: "other" }));
  await add(JSON.stringify(batch(4, { fromMs: now + 3 * 3600_000 })));
  // No date at all, although a safe integer.
  await add(JSON.stringify(batch(6, { toMs: 9_000_000_000_000_000 })));
  await add(JSON.stringify({ ...batch(5), counts: [{ ...good.counts[0], route: "/a\u0000b" }] }));
  await redis.xadd(redisKeys.counts, "*", "other", "x");
  await send(good);
  start(await world.openWorker());
  await waitFor(async () => (await counted()) === 10);
  await waitFor(async () => (await pending()).left === 0);
  const reasons = (await db.rejectedEntry.findMany({ orderBy: { id: "asc" } })).map(
    (r) => r.reason,
  );
  expect(reasons).toHaveLength(7);
  for (const part of [
    "it is not JSON",
    "sequence",
    'of environment "other"',
    "must be from 14 days back to 10 min ahead",
    "9000000000000000",
    "it is not JSON",
    "Postgres refused it",
  ])
    expect(reasons.some((reason) => reason.includes(part))).toBe(true);
});

test("a gap of the sequence shows as missing batches of its minute, until the late one comes", async () => {
  start(await world.openWorker());
  await send(batch(1), batch(4, { fromMs: now - 60_000 }));
  await waitFor(async () => (await counted()) === 20);
  expect((await gatewayMinutes()).map((row) => row.missingBatches)).toEqual([2, 0]);
  await send(batch(3));
  await waitFor(async () => (await counted()) === 30);
  expect((await gatewayMinutes()).map((row) => row.missingBatches)).toEqual([0, 1]);
});

test("an emptied Redis does not stop the ingest: the group is made again", async () => {
  start(await world.openWorker());
  await send(batch(1));
  await waitFor(async () => (await counted()) === 10);
  await world.control.redis.del(world.control.redisKeys.counts);
  await send(batch(2));
  await waitFor(async () => (await counted()) === 20);
});

test("a key is used when a gateway last named it, to the hour and never in the future", async () => {
  const { control } = world;
  const ctx = withActor(control, SYSTEM);
  const { id } = await createKey(ctx, { plan: "free", customer: "used" });
  const { id: idle } = await createKey(ctx, { plan: "free", customer: "idle" });
  const store = (fields: Partial<CountBatch> & { sequence: number }) =>
    inTransaction(control.db, (tx) => ingestBatches(tx, [batch(fields.sequence, fields)]));
  const usedMs = async (key: string) => {
    const { lastUsedAt } = await getKey(ctx, { id: key });
    return lastUsedAt === null ? null : Date.parse(lastUsedAt);
  };
  const earlierMs = now - 7_200_000;
  await store({ sequence: 901, toMs: earlierMs, keys: [id, "nobody", id] });
  expect(await usedMs(id)).toBe(earlierMs);
  await store({ sequence: 902, toMs: earlierMs + 60_000, keys: [id] });
  expect(await usedMs(id)).toBe(earlierMs);
  await store({ sequence: 903, toMs: now + 86_400_000, keys: [id] });
  expect(await usedMs(id)).toBeLessThanOrEqual(Date.now() + 1_000);
  await store({ sequence: 904, toMs: earlierMs, keys: [id] });
  expect(await usedMs(id)).toBeGreaterThan(earlierMs);
  expect(await usedMs(idle)).toBeNull();
});
