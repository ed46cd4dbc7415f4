import { inflateRawSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { takeTape } from "../control/take-tape";
import { decodeTapeBlock } from "../core/tape-block";
import type { TapeEntry } from "../core/tape-entry";
import { inTransaction } from "../db/client";
import { appendTapeBlock, ENTRY_FIELD } from "../redis/reports";
import { ensureGroup, readNew } from "../redis/streams";
import { tapeEntry, tapeRequest } from "../testing/tape";
import { waitFor } from "../testing/wait-for";
import { type ControlWorld, controlWorld } from "../testing/worker";
import { runIngestTape } from "./ingest-tape";
import { INGEST_GROUP } from "./read-stream";
import { KEPT_MS, retain, trimTape } from "./retention";
import type { WorkerCtx } from "./worker-context";

let world: ControlWorld;
let stops: (() => Promise<void>)[] = [];
const now = Math.floor(Date.now() / 60_000) * 60_000;

beforeAll(async () => {
  world = await controlWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
  await world.control.redis.del(world.control.redisKeys.tape);
  for (const table of ["tape_block", "tape_client", "rejected_entry"])
    await world.control.db.$executeRawUnsafe(`DELETE FROM ${table}`);
});
afterAll(() => Promise.all(stops.map((stop) => stop())));

function start(worker: WorkerCtx) {
  const stopping = new AbortController();
  const ended = runIngestTape(worker, stopping.signal);
  stops.push(async () => {
    stopping.abort();
    await ended;
  });
}

function block(sequence: number, fields: Partial<Omit<TapeEntry, "requests">> = {}): TapeEntry {
  const requests = [0, 1, 2].map((n) =>
    tapeRequest({ atMs: now + n * 10, client: `key:${n % 2}`, refused: n === 2 }),
  );
  return tapeEntry({ environment: world.control.environment, sequence, requests, ...fields });
}

async function send(...blocks: TapeEntry[]) {
  const { redis, redisKeys } = world.control;
  for (const one of blocks) await appendTapeBlock(redis, redisKeys, one);
}

async function stored() {
  const rows = await world.control.db.tapeBlock.findMany({ orderBy: [{ sequence: "asc" }] });
  return rows.map(({ sequence }) => sequence);
}

async function isStreamEmpty() {
  return (await world.control.redis.xlen(world.control.redisKeys.tape)) === 0;
}

test("a block is stored as it was sent, with its clients, and leaves the stream", async () => {
  await send(block(1, { percent: 12.5, dropped: 7 }));
  start(await world.openWorker());
  await waitFor(isStreamEmpty);
  const rows = await world.control.db.tapeBlock.findMany();
  expect(rows).toMatchObject([
    { gatewayId: "gw-1", boot: "boot-0001", sequence: 1, sample: 1_250, requests: 3, dropped: 7 },
  ]);
  const [{ bytes } = { bytes: new Uint8Array() }] = rows;
  expect(decodeTapeBlock(inflateRawSync(bytes)).map(({ client, refused }) => [client, refused]))
    // In the order in which they were recorded.
    .toEqual([
      ["key:0", false],
      ["key:1", false],
      ["key:0", true],
    ]);
  const clients = await world.control.db.tapeClient.findMany({ orderBy: [{ client: "asc" }] });
  expect(clients.map(({ client }) => client)).toEqual(["key:0", "key:1"]);
});

test("a block that comes twice, and by two workers at once, is stored once", async () => {
  await send(block(1), block(2), block(1), block(2), block(3));
  start(await world.openWorker());
  start(await world.openWorker());
  await waitFor(isStreamEmpty);
  expect(await stored()).toEqual([1, 2, 3]);
});

test("what a killed ingest had read, stored or not, is taken over and stored once", async () => {
  const { redis, redisKeys } = world.control;
  const dead = { stream: redisKeys.tape, group: INGEST_GROUP, consumer: "dead" };
  await ensureGroup(redis, dead);
  await send(block(1), block(2));
  const read = await readNew(redis, dead, { count: 10, blockMs: 0 });
  expect(read).toHaveLength(2);
  // It died after the first was committed and before anything was acknowledged.
  await takeTape(world.control, { source: "dead", received: [{ id: "1", block: block(1) }] });
  start(await world.openWorker());
  await send(block(3));
  await waitFor(isStreamEmpty);
  expect(await stored()).toEqual([1, 2, 3]);
});

test("a block that cannot be decoded is set aside with the reason, and those around it are stored", async () => {
  const { redis, redisKeys, db, environment } = world.control;
  const whole = block(2);
  const cut = Buffer.from(whole.bytes, "base64").subarray(0, 12).toString("base64");
  await send(block(1), { ...whole, bytes: cut });
  await send({ ...block(3), requests: 4 }, block(4, { fromMs: now - 30 * 86_400_000 }));
  await redis.xadd(redisKeys.tape, "*", ENTRY_FIELD, "{");
  await send({ ...block(5), environment: `${environment}-other` }, block(6));
  const nul = [tapeRequest({ atMs: now, client: "key:\u0000" })];
  await send(tapeEntry({ environment, sequence: 7, requests: nul }));
  start(await world.openWorker());
  await waitFor(isStreamEmpty);
  expect(await stored()).toEqual([1, 6]);
  const rejected = await db.rejectedEntry.findMany({ orderBy: [{ id: "asc" }] });
  const reasons = rejected.map(({ reason }) => reason).toSorted();
  expect(reasons).toHaveLength(6);
  expect(reasons.join("\n")).toMatch(/Postgres refused it/);
  expect(reasons.join("\n")).toMatch(/cannot be inflated/);
  expect(reasons.join("\n")).toMatch(/it says 4 requests and holds 3/);
  expect(reasons.join("\n")).toMatch(/not one that a tape of now may have/);
  expect(reasons.join("\n")).toMatch(/it is not JSON/);
  expect(reasons.join("\n")).toMatch(/is of environment/);
});

test("the oldest blocks go when there are too many bytes, and all when their time is over", async () => {
  const { db } = world.control;
  const at = (ageMs: number) => ({ fromMs: now - ageMs, toMs: now - ageMs });
  const received = [1, 2, 3].map((sequence) => ({
    id: `${sequence}`,
    block: block(sequence, at((4 - sequence) * 1_000)),
  }));
  await takeTape(world.control, { source: "test", received });
  const [{ size } = { size: 0 }] = await db.tapeBlock.findMany();
  expect(await inTransaction(db, (tx) => trimTape(tx, size * 2))).toBe(1);
  expect(await stored()).toEqual([2, 3]);
  expect(await inTransaction(db, (tx) => trimTape(tx, size * 2))).toBe(0);

  const old = new Date(now - KEPT_MS.tape - 60_000);
  await db.tapeBlock.updateMany({ where: { sequence: 2 }, data: { fromAt: old } });
  await db.tapeClient.updateMany({ where: { client: "key:0" }, data: { hour: old } });
  await retain(await world.openWorker());
  expect(await stored()).toEqual([3]);
  expect((await db.tapeClient.findMany()).map(({ client }) => client)).toEqual(["key:1"]);
});
