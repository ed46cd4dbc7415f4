import { afterAll, beforeAll, expect, test } from "vitest";
import { type Ctx, SYSTEM, setRuleMode, withActor } from "../control";
import { encodeVersion } from "../control/encode-version";
import { getInstallation } from "../control/live-version";
import { inTransaction } from "../db/client";
import { publishNotice } from "../redis/notices";
import { putSnapshot } from "../redis/snapshot";
import {
  echoUpstream,
  type Listening,
  startGateway,
  type TestGateway,
  temporaryFolder,
} from "../testing/gateway";
import { startRedis, type TestRedis } from "../testing/redis";
import { waitFor } from "../testing/wait-for";
import { type ControlWorld, controlWorld } from "../testing/worker";
import { startWorker } from "./start-worker";

const SECRET = "a secret that only tests know";
const WAIT_MS = 15_000;
let server: TestRedis;
let world: ControlWorld;
let upstream: Listening;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateway: TestGateway;
let admin: Ctx;

beforeAll(async () => {
  server = await startRedis();
  world = await controlWorld({ redisUrl: server.url, demo: true });
  admin = withActor(world.control, SYSTEM);
  [upstream, folder] = await Promise.all([echoUpstream(), temporaryFolder()]);
  await withWorker(async () => {
    gateway = await startGateway({
      environment: world.control.environment,
      redisUrl: server.url,
      upstream: upstream.url,
      dataDir: folder.path,
      secrets: [SECRET],
    });
    await converged();
  });
});
afterAll(async () => {
  await gateway.close();
  await world.close();
  await upstream.close();
  await server.stop();
  await folder.remove();
});

/** A worker for as long as `work` takes; then it is cut off, as a killed one is. */
async function withWorker(work: () => Promise<unknown>): Promise<void> {
  const worker = startWorker(world.another(), { relayPollMs: 50, reassertMs: 100 });
  try {
    await work();
  } finally {
    await worker.stop();
  }
}

let isShadow = true;
async function publishNext() {
  isShadow = !isShadow;
  const mode = isShadow ? "shadow" : "off";
  return setRuleMode(admin, { id: "new-links-free", mode, reason: "test" });
}

async function converged(): Promise<void> {
  const { epoch, version } = await getInstallation(world.control.db);
  await waitFor(
    () => {
      const { applied } = gateway.status().rules;
      return applied?.version === version && applied.epoch === epoch;
    },
    { timeoutMs: WAIT_MS },
  );
}

async function putLive(): Promise<{ epoch: number; version: number; hash: string }> {
  const { version: number } = await getInstallation(world.control.db);
  const { epoch, version, hash, document } = await encodeVersion(world.control, number);
  const { redis, redisKeys } = world.control;
  await putSnapshot(redis, redisKeys, { epoch, version, hash }, document);
  return { epoch, version, hash };
}

const openRows = () => world.control.db.outbox.count({ where: { doneAt: null } });

test("killed before its commit a console leaves nothing behind, and the next publish goes through", async () => {
  const before = await getInstallation(world.control.db);
  const doomed = world.another();
  const died = setRuleMode(
    { ...withActor(doomed, SYSTEM), db: dyingBeforeCommit(doomed.db) },
    { id: "new-links-free", mode: "off", reason: "killed" },
  );
  await expect(died).rejects.toThrow();
  expect(await getInstallation(world.control.db)).toEqual(before);
  expect(await openRows()).toBe(0);
  await withWorker(async () => {
    await publishNext();
    await converged();
  });
});

test("killed after its commit, before anything was told: a worker that starts later brings it to the fleet", async () => {
  await publishNext();
  expect(await openRows()).toBe(1);
  await withWorker(converged);
});

test("a worker killed after it wrote the snapshot, before its notice: the gateway finds it by itself", async () => {
  await publishNext();
  await putLive();
  await converged();
  expect(await openRows()).toBe(1);
  await withWorker(() => waitFor(async () => (await openRows()) === 0));
});

test("a worker killed after its notice, before it marked the row: it is told again, and nobody goes back", async () => {
  await publishNext();
  const head = await putLive();
  await publishNotice(world.control.redis, world.control.redisKeys, { kind: "version", ...head });
  await converged();
  await withWorker(() => waitFor(async () => (await openRows()) === 0));
  expect(gateway.status().rules.applied?.version).toBe(head.version);
});

test("Redis emptied while all run is filled again, and what is published next arrives", async () => {
  await withWorker(async () => {
    await world.control.redis.flushall();
    await publishNext();
    await converged();
    await waitFor(
      async () => (await world.control.redis.exists(world.control.redisKeys.snapshot)) === 1,
    );
    await world.control.redis.flushall();
    await waitFor(
      async () => (await world.control.redis.exists(world.control.redisKeys.snapshot)) === 1,
    );
  });
});

test("Postgres restored to an older dump: the epoch rises, and gateways follow it to the older rules", async () => {
  await withWorker(async () => {
    const older = await publishNext();
    await converged();
    const lost = await publishNext();
    await converged();
    await forgetVersion(lost.version, older.version);
    isShadow = !isShadow;
    await waitFor(async () => (await getInstallation(world.control.db)).epoch > lost.epoch, {
      timeoutMs: WAIT_MS,
    });
    await converged();
    const now = await getInstallation(world.control.db);
    expect(now.version).toBeGreaterThan(lost.version);
    const row = await world.control.db.version.findUniqueOrThrow({
      where: { number: now.version },
    });
    const kept = await world.control.db.version.findUniqueOrThrow({
      where: { number: older.version },
    });
    expect(row.hash).toBe(kept.hash);
    await publishNext();
    await converged();
  });
});

/** As a dump from before that version has it. */
async function forgetVersion(version: number, live: number): Promise<void> {
  await inTransaction(world.control.db, async (tx) => {
    // History is append-only: a restore is not held to that.
    await tx.$executeRaw`ALTER TABLE version_item DISABLE TRIGGER ALL`;
    await tx.$executeRaw`ALTER TABLE version DISABLE TRIGGER ALL`;
    await tx.installation.update({ where: { id: 1 }, data: { version: live } });
    await tx.outbox.deleteMany({});
    await tx.versionItem.deleteMany({ where: { versionNumber: version } });
    await tx.version.deleteMany({ where: { number: version } });
    await tx.$executeRaw`ALTER TABLE version_item ENABLE TRIGGER ALL`;
    await tx.$executeRaw`ALTER TABLE version ENABLE TRIGGER ALL`;
  });
}

/** Its transactions end with their connection, as those of a killed process do. */
function dyingBeforeCommit(db: Ctx["db"]): Ctx["db"] {
  return new Proxy(db, {
    get: (target, name) => {
      if (name !== "$transaction") return Reflect.get(target, name);
      return (work: (tx: unknown) => Promise<unknown>) =>
        target.$transaction(async (tx) => {
          await work(tx);
          await tx.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())`;
        });
    },
  });
}
