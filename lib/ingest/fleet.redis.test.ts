import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ManualClock } from "../clock";
import { reportGateway, SYSTEM, setRuleMode, withActor } from "../control";
import { getInstallation } from "../control/live-version";
import { raiseAlert } from "../control/raise-alert";
import { resolveAlert } from "../control/resolve-alert";
import { storeHeartbeat } from "../control/store-heartbeat";
import type { Heartbeat } from "../core/heartbeat";
import { inTransaction } from "../db/client";
import { appendHeartbeat, ENTRY_FIELD, readFleetSize } from "../redis/reports";
import { ensureGroup } from "../redis/streams";
import { startRedis, type TestRedis } from "../testing/redis";
import { waitFor } from "../testing/wait-for";
import { type ControlWorld, controlWorld, countBatch, heartbeat } from "../testing/worker";
import { runIngestHeartbeats } from "./ingest-heartbeats";
import { INGEST_GROUP } from "./read-stream";
import { createFleetWatch, NO_DATA_MS } from "./watch-fleet";
import type { WorkerCtx } from "./worker-context";

let server: TestRedis;
let world: ControlWorld;
let stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startRedis();
  world = await controlWorld({ redisUrl: server.url, demo: true });
});
beforeEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
  for (const table of ["gateway", "gateway_apply", "alert", "rejected_entry"])
    await world.control.db.$executeRawUnsafe(`DELETE FROM ${table}`);
});
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  await world.close();
  await server.stop();
});

const beat = (fields: Partial<Heartbeat> = {}) =>
  heartbeat({ environment: world.control.environment, ...fields });

function store(receivedMs: number, fields: Partial<Heartbeat> = {}) {
  return inTransaction(world.control.db, (tx) =>
    storeHeartbeat(tx, { heartbeat: beat(fields), receivedMs }),
  );
}

const gateway = () => world.control.db.gateway.findUniqueOrThrow({ where: { id: "gw-1" } });

async function openAlerts() {
  const rows = await world.control.db.alert.findMany({
    where: { resolvedAt: null },
    orderBy: [{ kind: "asc" }, { subject: "asc" }],
  });
  return rows.map(({ kind, subject }) => `${kind} ${subject}`);
}

const now = Date.now();

test("heartbeats on the stream become one row a gateway, a restart included", async () => {
  const worker = await world.openWorker();
  const stopping = new AbortController();
  const ended = runIngestHeartbeats(worker, stopping.signal);
  stops.push(async () => {
    stopping.abort();
    await ended;
  });
  const { redis, redisKeys } = world.control;
  await appendHeartbeat(redis, redisKeys, beat());
  await appendHeartbeat(redis, redisKeys, beat({ boot: "boot-0002", startedAtMs: Date.now() }));
  await redis.xadd(redisKeys.heartbeats, "*", ENTRY_FIELD, '{"schema":9}');
  await appendHeartbeat(redis, redisKeys, beat({ gateway: "gw-2" }));
  await waitFor(async () => (await world.control.db.gateway.count()) === 2);
  expect((await gateway()).boot).toBe("boot-0002");
  expect(worker.health.heartbeatsSinceMs).not.toBeNull();
  expect(await world.control.db.rejectedEntry.count()).toBe(1);
});

test("what is older than what is known of a gateway changes nothing", async () => {
  await store(now, { mode: "local" });
  expect(await store(now - 5_000, { mode: "shared" })).toBe(false);
  expect(await gateway()).toMatchObject({ mode: "local", lastSeenAt: new Date(now) });
  expect(await openAlerts()).toEqual(["gateway-degraded gw-1"]);
});

test("the old process of a gateway that ends while its successor runs does not drain it", async () => {
  await store(now, { boot: "boot-new0", startedAtMs: now });
  expect(
    await store(now + 1_000, { boot: "boot-old0", startedAtMs: now - 9e6, state: "drained" }),
  ).toBe(false);
  expect((await gateway()).drainedAt).toBeNull();
  // A clock set back at a restart: after a while the one that speaks is believed.
  expect(await store(now + 20_000, { boot: "boot-back", startedAtMs: now - 9e6 })).toBe(true);
  expect((await gateway()).boot).toBe("boot-back");
});

test("a drained gateway that comes back is no longer drained, a dismissed one no longer dismissed", async () => {
  await store(now, { state: "drained" });
  expect((await gateway()).drainedAt).toEqual(new Date(now));
  await world.control.db.gateway.update({
    where: { id: "gw-1" },
    data: { dismissedAt: new Date() },
  });
  await store(now + 5_000);
  expect(await gateway()).toMatchObject({ drainedAt: null, dismissedAt: null });
});

test("when a version was applied is when it was first, in Redis's time, and never before its commit", async () => {
  const { epoch, version } = await getInstallation(world.control.db);
  const { createdAt } = await world.control.db.version.findUniqueOrThrow({
    where: { number: version },
  });
  const applied = { epoch, version, hash: "a".repeat(64), source: "push" as const };
  const refused = { epoch, version, reason: "requires x" };
  await store(createdAt.getTime() + 10, { refused });
  const apply = () => world.control.db.gatewayApply.findMany();
  expect(await apply()).toMatchObject([{ state: "refused", reason: "requires x" }]);
  expect(await openAlerts()).toEqual(["gateway-refused gw-1"]);
  const appliedAtMs = createdAt.getTime() - 90_000;
  await store(createdAt.getTime() + 400, {
    applied: { ...applied, appliedAtMs },
    clockOffsetMs: 90_300,
  });
  expect(await apply()).toMatchObject([
    { state: "applied", reason: null, at: new Date(createdAt.getTime() + 300) },
  ]);
  expect(await openAlerts()).toEqual([]);
  await store(createdAt.getTime() + 9_000, {
    applied: { ...applied, appliedAtMs: createdAt.getTime() + 8_000 },
  });
  expect(await apply()).toMatchObject([{ at: new Date(createdAt.getTime() + 300) }]);
  await store(now + 10_000, {
    applied: { ...applied, epoch: epoch - 5, version: 900, appliedAtMs },
  });
  expect(await apply()).toHaveLength(1);
});

test("a gateway whose clock gives no date is heard all the same", async () => {
  const { epoch, version } = await getInstallation(world.control.db);
  const { createdAt } = await world.control.db.version.findUniqueOrThrow({
    where: { number: version },
  });
  const applied = { epoch, version, hash: "a".repeat(64), source: "push" as const };
  const apply = () => world.control.db.gatewayApply.findMany({ select: { at: true } });
  const receivedMs = createdAt.getTime() + 500;
  await store(receivedMs, { applied: { ...applied, appliedAtMs: 9_000_000_000_000_000 } });
  expect(await apply()).toEqual([{ at: new Date(receivedMs) }]);
  await world.control.db.gatewayApply.deleteMany();
  await store(receivedMs, { applied: { ...applied, appliedAtMs: 0 }, clockOffsetMs: -1e300 });
  expect(await apply()).toEqual([{ at: createdAt }]);
});

test("one trouble is one row although it comes and goes, and late news of it opens none", async () => {
  const { db } = world.control;
  const alert = { kind: "gateway-degraded" as const, subject: "gw-1", message: "m" };
  const raised = await Promise.all(
    Array.from({ length: 8 }, (_, i) => raiseAlert(db, { ...alert, atMs: now + i })),
  );
  expect(raised.filter(Boolean)).toHaveLength(1);
  expect(
    await resolveAlert(db, { kinds: ["gateway-degraded"], subject: "gw-1", atMs: now - 1 }),
  ).toBe(0);
  expect(
    await resolveAlert(db, { kinds: ["gateway-degraded"], subject: "gw-1", atMs: now + 50 }),
  ).toBe(1);
  expect(await raiseAlert(db, { ...alert, atMs: now + 20 })).toBe(false);
  expect(await openAlerts()).toEqual([]);
  expect(await raiseAlert(db, { ...alert, atMs: now + 60 })).toBe(true);
  expect(await db.alert.findMany()).toMatchObject([{ raisedAt: new Date(now), resolvedAt: null }]);
  await resolveAlert(db, { kinds: ["gateway-degraded"], subject: "gw-1", atMs: now + 100 });
  expect(await raiseAlert(db, { ...alert, atMs: now + 70_000 })).toBe(true);
  expect(await db.alert.count()).toBe(2);
});

function watched(worker: WorkerCtx) {
  const clock = new ManualClock(now);
  const ctx = { ...worker, clock, health: { heartbeatsSinceMs: 0 } };
  clock.advance(60_000);
  return { clock, ctx, watch: createFleetWatch(ctx) };
}

test("a gateway that falls silent is told of and still divides the limits, until it is heard again", async () => {
  const worker = await world.openWorker();
  const { clock, ctx, watch } = watched(worker);
  await store(clock.nowMs());
  await store(clock.nowMs(), { gateway: "gw-2" });
  await watch();
  expect(await readFleetSize(worker.redis, worker.redisKeys)).toEqual({ live: 2, silent: 0 });
  clock.advance(16_000);
  await store(clock.nowMs(), { gateway: "gw-2" });
  await watch();
  expect(await readFleetSize(worker.redis, worker.redisKeys)).toEqual({ live: 1, silent: 1 });
  expect(await openAlerts()).toContain("gateway-silent gw-1");
  await store(clock.nowMs() + 1);
  expect(await openAlerts()).not.toContain("gateway-silent gw-1");
  clock.advance(20_000);
  ctx.health.heartbeatsSinceMs = clock.monotonicMs() - 1_000;
  await watch();
  expect(await openAlerts()).not.toContain("gateway-silent gw-1");
});

test("a gateway that is live and sends no counts is told of, until one arrives", async () => {
  const worker = await world.openWorker();
  const { clock, watch } = watched(worker);
  const early = { startedAtMs: clock.nowMs() - 600_000 };
  await store(clock.nowMs(), early);
  await watch();
  expect(await openAlerts()).not.toContain("no-data gw-1");
  clock.advance(NO_DATA_MS);
  await store(clock.nowMs(), early);
  await store(clock.nowMs(), { gateway: "gw-2", startedAtMs: clock.nowMs() - 5_000 });
  await watch();
  expect(await openAlerts()).toContain("no-data gw-1");
  expect(await openAlerts()).not.toContain("no-data gw-2");
  await worker.db.ingestedBatch.create({
    data: {
      gatewayId: "gw-1",
      boot: "boot-mute",
      sequence: 1,
      countedAt: new Date(clock.nowMs()),
      ingestedAt: new Date(clock.nowMs()),
    },
  });
  clock.advance(1_000);
  await watch();
  expect(await openAlerts()).not.toContain("no-data gw-1");
});

test("a live gateway on an older version is late after 15 s, and no longer once it has applied", async () => {
  const worker = await world.openWorker();
  const { version: before, epoch } = await getInstallation(worker.db);
  await setRuleMode(withActor(world.control, SYSTEM), {
    id: "new-links-free",
    mode: "off",
    reason: "test",
  });
  const { version } = await getInstallation(worker.db);
  const { createdAt } = await worker.db.version.findUniqueOrThrow({ where: { number: version } });
  const clock = new ManualClock(createdAt.getTime() + 10_000);
  const watch = createFleetWatch({ ...worker, clock, health: { heartbeatsSinceMs: null } });
  const running = (number: number) => ({
    startedAtMs: createdAt.getTime() - 60_000,
    applied: {
      epoch,
      version: number,
      hash: "a".repeat(64),
      source: "push" as const,
      appliedAtMs: 0,
    },
  });
  await store(clock.nowMs(), running(before));
  await watch();
  expect(await openAlerts()).toEqual([]);
  clock.advance(6_000);
  await watch();
  expect(await openAlerts()).toEqual(["convergence-late gw-1"]);
  await store(clock.nowMs(), running(version));
  await watch();
  expect(await openAlerts()).toEqual([]);
});

test("counts that wait for a minute are told of", async () => {
  const worker = await world.openWorker();
  const { watch } = watched(worker);
  const { counts } = worker.redisKeys;
  const reader = { stream: counts, group: INGEST_GROUP, consumer: "nobody" };
  await worker.redis.xadd(counts, `${now - 90_000}-0`, ENTRY_FIELD, "{}");
  await ensureGroup(worker.redis, reader);
  await watch();
  expect(await openAlerts()).toEqual(["ingest-behind counts"]);
  await worker.redis.del(counts);
  await watch();
  expect(await openAlerts()).toEqual([]);
});

test("a Redis that the worker cannot reach is an alert, and ends when it is back", async () => {
  const worker = await world.openWorker();
  const watch = createFleetWatch(worker);
  await server.stop();
  await waitFor(async () => {
    await watch();
    return (await openAlerts()).includes("redis-down redis");
  });
  server = await startRedis({ port: server.port });
  await waitFor(async () => {
    await watch();
    return !(await openAlerts()).includes("redis-down redis");
  });
});

const asGateway = () =>
  withActor(world.control, { type: "token", id: "t", name: "gateways", scopes: ["gateway"] });

test("a report over HTTP is stored at once, needs no Redis, and answers with version and fleet", async () => {
  await server.stop();
  const message = "Redis did not answer within 10 ms";
  const raised = {
    kind: "gateway-degraded" as const,
    state: "raised" as const,
    atMs: now,
    message,
  };
  const batch = countBatch({
    environment: world.control.environment,
    sequence: 1,
    traffic: { requests: 7, refused: 0, local: 7, unchecked: 0 },
  });
  const answer = await reportGateway(asGateway(), {
    id: "gw-1",
    heartbeat: beat({ mode: "local", error: message }),
    alerts: [raised],
    batches: [batch, batch],
  });
  const { epoch, version } = await getInstallation(world.control.db);
  expect(answer).toEqual({ current: { epoch, version }, fleet: { live: 1, silent: 0 } });
  expect(await openAlerts()).toEqual(["gateway-degraded gw-1"]);
  expect(await world.control.db.gatewayMinute.findMany()).toMatchObject([
    { requests: 7n, batches: 1 },
  ]);
  await reportGateway(asGateway(), {
    id: "gw-1",
    heartbeat: beat(),
    alerts: [{ ...raised, state: "resolved" }],
    batches: [batch, { ...batch, sequence: 2, toMs: 1e15 }],
  });
  expect(await openAlerts()).toEqual([]);
  expect(await world.control.db.rejectedEntry.findMany()).toMatchObject([
    { stream: "http", entryId: "gw-1/boot-0001/2" },
  ]);
  server = await startRedis({ port: server.port });
});

test("a gateway reports for itself, of this environment, with the right scope", async () => {
  await expect(reportGateway(asGateway(), { id: "gw-2", heartbeat: beat() })).rejects.toThrow(
    "heartbeat.gateway must be gw-2, whose report it is, got gw-1",
  );
  await expect(
    reportGateway(asGateway(), { id: "gw-1", heartbeat: beat({ environment: "prod" }) }),
  ).rejects.toThrow("heartbeat.environment must be");
  await expect(reportGateway(asGateway(), { id: "gw-1" })).rejects.toMatchObject({
    code: "invalid",
  });
  const viewer = withActor(world.control, { type: "user", id: "u", name: "Vi", role: "viewer" });
  await expect(reportGateway(viewer, { id: "gw-1", heartbeat: beat() })).rejects.toMatchObject({
    code: "forbidden",
  });
});
