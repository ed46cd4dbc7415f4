import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Heartbeat } from "../core/heartbeat";
import { inTransaction } from "../db/client";
import { runIngestCounts } from "../ingest/ingest-counts";
import { putSnapshot } from "../redis/snapshot";
import { GATEWAY } from "../testing/control";
import { failureOf } from "../testing/failure";
import { startRedis, type TestRedis } from "../testing/redis";
import { type ControlWorld, controlWorld, heartbeat } from "../testing/worker";
import { diagnose, SYSTEM, withActor } from ".";
import { getInstallation } from "./live-version";
import { storeHeartbeat } from "./store-heartbeat";

let server: TestRedis;
let admin: Redis;
let world: ControlWorld;
beforeAll(async () => {
  server = await startRedis();
  admin = new Redis(server.url);
  admin.on("error", () => {});
  world = await controlWorld({ redisUrl: server.url });
  world.control.config.migrationsFolder = fileURLToPath(
    new URL("../../prisma/migrations", import.meta.url),
  );
});
afterAll(async () => {
  admin.disconnect();
  await world.close();
  await server.stop();
});

async function lines(): Promise<string[]> {
  const found = await diagnose(withActor(world.control, SYSTEM));
  return found.lines.map(({ level, check, says }) => `${level} ${check}: ${says}`);
}

const beat = async (fields: Partial<Heartbeat>) =>
  inTransaction(world.control.db, (tx) =>
    storeHeartbeat(tx, {
      heartbeat: heartbeat({ environment: world.control.environment, ...fields }),
      receivedMs: Date.now(),
    }),
  );

test("a console without worker and gateways is told what is missing", async () => {
  const found = await lines();
  expect(found).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^ok postgres: Postgres is version \d+/),
      expect.stringMatching(/^ok migrations: all \d+ migrations are applied$/),
      expect.stringMatching(
        /^ok redis: redis:\/\/127\.0\.0\.1:\d+\/0 \(counters, snapshot and streams\) is version \d/,
      ),
      "fail snapshot: Redis holds none for gateways to load",
      "fail gateways: none is live",
    ]),
  );
  await failureOf(diagnose(withActor(world.control, GATEWAY)), "forbidden");
});

test("gateways are well, or it is said which one is not, and how", async () => {
  const { db, redis, redisKeys } = world.control;
  const { epoch, version } = await getInstallation(db);
  const hash = "0".repeat(64);
  await putSnapshot(redis, redisKeys, { epoch, version, hash }, Buffer.from("document"));
  const applied = { epoch, version, hash, appliedAtMs: Date.now(), source: "push" as const };
  const directory = { epoch, seq: 0, complete: true };
  await beat({ gateway: "gw-1", applied, directory });
  expect(await lines()).toEqual(
    expect.arrayContaining([
      `ok snapshot: version ${version} is in Redis`,
      `ok gateways: 1 live, all on version ${version}`,
    ]),
  );
  const refused = { epoch, version, reason: "it requires windows" };
  await beat({ gateway: "gw-2", refused, clockOffsetMs: -7_500, directory });
  await beat({ gateway: "gw-3", directory, mode: "local" });
  expect(await lines()).toEqual(
    expect.arrayContaining([
      `fail gateways: gw-2 refuses version ${version}: it requires windows`,
      `fail gateways: gw-3 is not on the live version ${version}`,
      "warn gateways: gw-3 decides by its own share of each limit",
      "warn clocks: Redis's clock is 7.5 s behind gateway gw-2's",
    ]),
  );
});

test("counts that nobody takes and a change that nobody passes on are failures, until a worker does", async () => {
  const { redisKeys, db } = world.control;
  await admin.xadd(redisKeys.counts, `${Date.now() - 90_000}-0`, "json", "{}");
  await db.outbox.updateMany({ data: { doneAt: new Date() } });
  await db.outbox.create({
    data: {
      kind: "version",
      payload: {},
      createdAt: new Date(Date.now() - 30_000),
      error: "no Redis",
    },
  });
  const found = (await lines()).filter((line) => line.startsWith("fail"));
  expect(found).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^fail ingest: counts wait for (89|9\d) s to be taken/),
      expect.stringMatching(
        /^fail worker: a change waits for 3\d s .*the last try said: no Redis$/,
      ),
    ]),
  );
  await db.outbox.updateMany({ data: { doneAt: new Date() } });
  const worker = await world.openWorker();
  const stop = new AbortController();
  const running = runIngestCounts(worker, stop.signal);
  await expect
    .poll(lines)
    .toContain("ok ingest: counts, heartbeats and tape are taken as they come");
  stop.abort();
  await running;
  worker.disconnect();
  expect(await lines()).toContain("ok worker: every change has been passed on");
});

test("a Redis that evicts, does not tell, or does not answer is named", async () => {
  await admin.config("SET", "maxmemory", "100mb");
  await admin.config("SET", "maxmemory-policy", "allkeys-lru");
  expect(await lines()).toContainEqual(
    expect.stringMatching(/^warn redis: .* maxmemory-policy is allkeys-lru, .* snapshot .* lost$/),
  );
  await admin.config("SET", "maxmemory-policy", "volatile-lru");
  expect(await lines()).toContainEqual(
    expect.stringMatching(
      /policy is volatile-lru, so that .* clients get their tokens back too early$/,
    ),
  );
  await admin.acl("SETUSER", "default", "-info");
  try {
    expect((await lines()).filter((line) => line.startsWith("warn redis"))).toEqual([
      expect.stringContaining("does not tell its version"),
      expect.stringContaining("what it evicts when its memory is full could not be read"),
    ]);
  } finally {
    await admin.acl("SETUSER", "default", "+info");
  }
  server.kill("SIGKILL");
  await expect
    .poll(lines)
    .toContainEqual(expect.stringMatching(/^fail redis: .* cannot be used: .*ECONNREFUSED/));
});

test("a migration that is not applied, one that failed, and one of a newer build are named", async () => {
  const { db } = world.control;
  const last =
    "DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)";
  await db.$executeRawUnsafe(last);
  expect(await lines()).toContainEqual(
    expect.stringMatching(/^fail migrations: 1 not applied yet: \d{14}_\w+$/),
  );
  await db.$executeRaw`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
    VALUES ('x', 'x', '29990101000000_newer', now())`;
  expect(await lines()).toContainEqual(
    expect.stringMatching(/^fail migrations: the database has migrations .* 29990101000000_newer/),
  );
});

test("without Postgres it says so, and of Redis what it can", async () => {
  await world.control.db.$disconnect();
  await world.database.drop();
  const found = await lines();
  expect(found[0]).toMatch(/^fail postgres: Postgres cannot be used: [^`]+$/);
  expect(found.some((line) => line.includes(" redis: "))).toBe(true);
});
