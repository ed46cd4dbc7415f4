import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createKey, SYSTEM, setRuleMode, withActor } from "../control";
import { encodeVersion } from "../control/encode-version";
import { getInstallation } from "../control/live-version";
import { readSnapshot } from "../core/snapshot";
import { readDirectoryDeltas, readDirectoryPosition } from "../redis/directory";
import { type Notice, parseNotice } from "../redis/notices";
import { putSnapshot, readSnapshotDocument, readSnapshotHead } from "../redis/snapshot";
import { baseInRedis } from "../testing/directory";
import { startRedis, type TestRedis } from "../testing/redis";
import { waitFor } from "../testing/wait-for";
import { type ControlWorld, controlWorld, subscriber } from "../testing/worker";
import { advanceDirectory, compactDirectory } from "./advance-directory";
import { meetVersion } from "./announce-version";
import { runListenOutbox } from "./listen-outbox";
import { createWake } from "./loop";
import { reassert } from "./reassert";
import { relayOutbox, runRelayOutbox } from "./relay-outbox";
import type { WorkerCtx } from "./worker-context";

let server: TestRedis;
let world: ControlWorld;
let worker: WorkerCtx;
let listener: ReturnType<typeof subscriber>;
let notices: Notice[] = [];
let stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startRedis();
  world = await controlWorld({ redisUrl: server.url, demo: true });
  worker = await world.openWorker();
  listener = subscriber(server.url);
  listener.on("message", (_, message) => {
    const notice = parseNotice(message);
    if (notice !== null) notices.push(notice);
  });
  await waitFor(() => listener.status === "ready");
  await listener.subscribe(world.control.redisKeys.notices);
});
beforeEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
  notices = [];
});
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  listener.disconnect();
  await world.close();
  await server.stop();
});

function startRelay(ctx: WorkerCtx) {
  const stopping = new AbortController();
  const wake = createWake();
  const ended = Promise.all([
    runListenOutbox(ctx, wake, stopping.signal),
    runRelayOutbox(ctx, wake, stopping.signal),
  ]);
  stops.push(async () => {
    stopping.abort();
    await ended;
  });
}

const admin = () => withActor(world.control, SYSTEM);
let isShadow = true;
/** A publish by the console's own verb. */
async function publishNext() {
  isShadow = !isShadow;
  return setRuleMode(admin(), {
    id: "new-links-free",
    mode: isShadow ? "shadow" : "off",
    reason: "test",
  });
}
const openRows = () => world.control.db.outbox.count({ where: { doneAt: null } });
const head = () => readSnapshotHead(world.control.redis, world.control.redisKeys);

test("a row that a dead console left behind reaches Redis and the fleet, signed", async () => {
  const { version } = await publishNext();
  await relayOutbox(worker);
  expect(await openRows()).toBe(0);
  expect(await head()).toMatchObject({ version });
  const document = await readSnapshotDocument(worker.redis, worker.redisKeys);
  const read = readSnapshot(document ?? new Uint8Array(), {
    environment: world.control.environment,
    keys: world.control.keys.snapshot,
  });
  expect(read).toMatchObject({ ok: true, envelope: { version } });
  await waitFor(() =>
    notices.some((notice) => notice.kind === "version" && notice.version === version),
  );
});

test("the notice follows a commit within 200 ms, without waiting for the relay's timer", async () => {
  const slow = await world.openWorker({ relayPollMs: 60_000 });
  startRelay(slow);
  await waitFor(async () => (await openRows()) === 0);
  const took: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const { version } = await publishNext();
    const committedMs = performance.now();
    await waitFor(
      () => notices.some((notice) => notice.kind === "version" && notice.version === version),
      { intervalMs: 1, timeoutMs: 2_000, what: "the notice" },
    );
    took.push(performance.now() - committedMs);
  }
  expect(took.toSorted((a, b) => a - b)[2]).toBeLessThan(200);
});

test("a key that was made is a delta in order, and the fleet is told", async () => {
  await advanceDirectory(worker);
  startRelay(worker);
  const before = await readDirectoryPosition(worker.redis, worker.redisKeys);
  const { seq } = await getInstallation(worker.db).then(({ directorySeq }) => ({
    seq: directorySeq,
  }));
  for (let i = 0; i < 5; i += 1) await createKey(admin(), { plan: "free", name: `key ${i}` });
  const { directorySeq } = await getInstallation(worker.db);
  expect(directorySeq).toBeGreaterThan(seq);
  const deltas = await waitFor(async () => {
    const found = await readDirectoryDeltas(worker.redis, worker.redisKeys, seq);
    return found.at(-1)?.seq === directorySeq && found;
  });
  expect(deltas.map((delta) => delta.seq)).toEqual(
    Array.from({ length: directorySeq - seq }, (_, i) => seq + 1 + i),
  );
  expect(await readDirectoryPosition(worker.redis, worker.redisKeys)).toEqual(before);
  await waitFor(() => notices.some((n) => n.kind === "directory" && n.seq === directorySeq));
});

test("changes that are committed while the relay reads cost no new base", async () => {
  await advanceDirectory(worker);
  const base = await readDirectoryPosition(worker.redis, worker.redisKeys);
  let isMaking = true;
  const making = Promise.all(
    Array.from({ length: 4 }, async (_, lane) => {
      for (let i = 0; i < 15; i += 1)
        await createKey(admin(), { plan: "free", name: `lane ${lane} ${i}` });
    }),
  ).finally(() => {
    isMaking = false;
  });
  while (isMaking) await advanceDirectory(worker);
  await making;
  expect(await readDirectoryPosition(worker.redis, worker.redisKeys)).toEqual(base);
});

test("two workers carry every change, in order, once", async () => {
  startRelay(worker);
  startRelay(await world.openWorker());
  const from = (await getInstallation(worker.db)).directorySeq;
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => createKey(admin(), { plan: "paid", name: `both ${i}` })),
  );
  const { directorySeq } = await getInstallation(worker.db);
  await waitFor(async () => (await openRows()) === 0);
  const deltas = await readDirectoryDeltas(worker.redis, worker.redisKeys, from);
  expect(deltas.map((delta) => delta.seq)).toEqual(
    Array.from({ length: directorySeq - from }, (_, i) => from + 1 + i),
  );
});

test("an emptied Redis is filled again, and the fleet told of all of it", async () => {
  await relayOutbox(worker);
  await reassert(worker, { isWhole: true });
  await worker.redis.flushall();
  notices = [];
  await reassert(worker, { isWhole: false });
  const { epoch, version, directorySeq } = await getInstallation(worker.db);
  expect(await head()).toMatchObject({ epoch, version });
  const base = await baseInRedis(worker.redis, worker.redisKeys);
  expect(base).toMatchObject({ epoch, seq: directorySeq });
  expect(base?.entries.filter(({ type }) => type === "key").length).toBeGreaterThan(25);
  expect(await worker.redis.get(worker.redisKeys.fleet)).toBe('{"live":0,"silent":0}');
  await waitFor(() => notices.some((n) => n.kind === "version" && n.version === version));
  await waitFor(() => notices.some((n) => n.kind === "directory" && n.seq === directorySeq));
});

test("a base that lost its link to the deltas is built anew", async () => {
  await advanceDirectory(worker);
  await createKey(admin(), { plan: "free", name: "one" });
  await createKey(admin(), { plan: "free", name: "two" });
  await advanceDirectory(worker);
  const { directorySeq } = await getInstallation(worker.db);
  await worker.redis.xtrim(worker.redisKeys.directoryDeltas, "MINID", `${directorySeq}-0`);
  await advanceDirectory(worker);
  expect(await readDirectoryPosition(worker.redis, worker.redisKeys)).toMatchObject({
    seq: directorySeq,
  });
});

test("after many steps the base is written anew, and the steps that it contains go", async () => {
  await advanceDirectory(worker);
  const { epoch, directorySeq } = await getInstallation(worker.db);
  const steps = 5_100;
  await worker.db.$executeRaw`
    INSERT INTO directory_change (epoch, seq, entries)
    SELECT ${epoch}::int, ${directorySeq}::int + i, '[{"type": "customer", "id": "busy", "plan": "free"}]'::jsonb
    FROM generate_series(1, ${steps}::int) i`;
  const seq = directorySeq + steps;
  await worker.db.installation.update({ where: { id: 1 }, data: { directorySeq: seq } });
  expect(await advanceDirectory(worker)).toEqual({ epoch, seq });
  const before = await readDirectoryPosition(worker.redis, worker.redisKeys);
  expect(before?.seq).toBeLessThanOrEqual(directorySeq);
  await compactDirectory(worker);
  expect(await readDirectoryPosition(worker.redis, worker.redisKeys)).toEqual({ epoch, seq });
  expect(await worker.redis.xlen(worker.redisKeys.directoryDeltas)).toBe(0);
  expect(await worker.redis.keys(`${worker.redisKeys.directory}:*`)).toEqual([]);
  await createKey(admin(), { plan: "free", name: "after" });
  await advanceDirectory(worker);
  const deltas = await readDirectoryDeltas(worker.redis, worker.redisKeys, seq);
  expect(deltas.map((delta) => delta.seq)).toEqual([seq + 1]);
}, 60_000);

test("a base in the form of an older build is no base, and is replaced", async () => {
  await advanceDirectory(worker);
  const { epoch, directorySeq: seq } = await getInstallation(worker.db);
  await worker.redis.del(worker.redisKeys.directory);
  await worker.redis.hset(worker.redisKeys.directory, { epoch, seq, document: "{}" });
  await advanceDirectory(worker);
  const base = await baseInRedis(worker.redis, worker.redisKeys);
  expect(base).toMatchObject({ epoch, seq });
  expect(base?.entries.length).toBeGreaterThan(0);
});

test("a damaged document of the right version is replaced", async () => {
  await reassert(worker, { isWhole: true });
  await worker.redis.hset(worker.redisKeys.snapshot, "document", "damaged");
  await reassert(worker, { isWhole: true });
  const { version } = await getInstallation(worker.db);
  const { document } = await encodeVersion(worker, version);
  const held = await readSnapshotDocument(worker.redis, worker.redisKeys);
  expect(Buffer.from(held ?? []).equals(Buffer.from(document))).toBe(true);
});

test("a Redis that is down keeps the row with its error; once it is back the row is carried", async () => {
  startRelay(worker);
  await waitFor(async () => (await openRows()) === 0);
  await server.stop();
  const { version } = await publishNext();
  const failed = await waitFor(async () => {
    const row = await world.control.db.outbox.findFirst({ where: { doneAt: null } });
    return row !== null && row.attempts > 0 && row;
  });
  expect(failed.error).toBeTruthy();
  server = await startRedis({ port: server.port });
  await waitFor(async () => (await openRows()) === 0);
  expect(await waitFor(head)).toMatchObject({ version });
});

test("a version in Redis that the database does not know raises the epoch above it", async () => {
  await reassert(worker, { isWhole: true });
  const before = await getInstallation(worker.db);
  const alien = { epoch: before.epoch, version: before.version + 40, hash: "f".repeat(64) };
  await putSnapshot(worker.redis, worker.redisKeys, alien, new Uint8Array([1]));
  await reassert(worker, { isWhole: false });
  const after = await getInstallation(worker.db);
  expect(after.epoch).toBeGreaterThan(before.epoch);
  expect(after.version).toBeGreaterThan(alien.version);
  expect(await head()).toMatchObject({ epoch: after.epoch, version: after.version });
  expect(await readDirectoryPosition(worker.redis, worker.redisKeys)).toMatchObject({
    epoch: after.epoch,
  });
  expect(await meetVersion(worker, alien)).toBe(false);
});

test("a directory in Redis that is ahead of the database raises the epoch", async () => {
  await relayOutbox(worker);
  await advanceDirectory(worker);
  const before = await getInstallation(worker.db);
  await worker.db.installation.update({
    where: { id: 1 },
    data: { directorySeq: before.directorySeq - 2 },
  });
  await worker.db.$executeRaw`DELETE FROM directory_change WHERE seq > ${before.directorySeq - 2}`;
  await reassert(worker, { isWhole: false });
  const after = await getInstallation(worker.db);
  expect(after.epoch).toBeGreaterThan(before.epoch);
  expect(await readDirectoryPosition(worker.redis, worker.redisKeys)).toEqual({
    epoch: after.epoch,
    seq: after.directorySeq,
  });
});
