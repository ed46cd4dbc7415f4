import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureInstallation, SYSTEM, setRuleMode, withActor } from "../control";
import { getInstallation } from "../control/live-version";
import { appendCountBatch, appendHeartbeat, readFleetSize } from "../redis/reports";
import { readSnapshotHead } from "../redis/snapshot";
import { startRedis, type TestRedis } from "../testing/redis";
import { waitFor } from "../testing/wait-for";
import {
  type ControlWorld,
  controlWorld,
  countBatch,
  heartbeat,
  TEST_TIMINGS,
} from "../testing/worker";
import { startWorker } from "./start-worker";

const root = fileURLToPath(new URL("../..", import.meta.url));
let server: TestRedis;
let world: ControlWorld;
let folder: string;
let child: ChildProcess | undefined;

beforeAll(async () => {
  server = await startRedis();
  world = await controlWorld({ redisUrl: server.url, isSetUp: false });
  folder = await mkdtemp(join(tmpdir(), "headgate-worker-"));
});
afterAll(async () => {
  child?.kill("SIGKILL");
  await world.close();
  await server.stop();
  await rm(folder, { recursive: true });
});

const head = () => readSnapshotHead(world.control.redis, world.control.redisKeys);

test("a worker waits for the database to be set up, then does everything", async () => {
  const { control } = world;
  const running = startWorker(world.another(), TEST_TIMINGS);
  await ensureInstallation(control, { demo: true });
  await waitFor(async () => (await head())?.version === 1);
  const { environment, redis, redisKeys } = control;
  await appendHeartbeat(redis, redisKeys, heartbeat({ environment }));
  await appendCountBatch(redis, redisKeys, countBatch({ environment, sequence: 1 }));
  await waitFor(async () => (await readFleetSize(redis, redisKeys))?.live === 1);
  await waitFor(async () => (await control.db.gatewayMinute.count()) === 1);
  await setRuleMode(withActor(control, SYSTEM), {
    id: "new-links-free",
    mode: "off",
    reason: "test",
  });
  await waitFor(async () => (await head())?.version === 2);
  await running.stop();
});

test("a hung Redis does not keep a worker from stopping", async () => {
  const running = startWorker(world.another(), TEST_TIMINGS);
  await waitFor(() => running.ctx.health.heartbeatsSinceMs !== null);
  server.kill("SIGSTOP");
  const startedMs = performance.now();
  await running.stop();
  expect(performance.now() - startedMs).toBeLessThan(2_000);
  server.kill("SIGCONT");
});

test("the process carries publishes and ends within 2 s of SIGTERM", async () => {
  const worker = spawn(process.execPath, ["--import", "tsx", "bin/worker.ts"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      NODE_ENV: "test",
      PATH: process.env.PATH,
      HEADGATE_DATA: folder,
      HEADGATE_ENVIRONMENT: world.control.environment,
      HEADGATE_SECRET: world.control.config.secrets.join(),
      DATABASE_URL: world.database.url,
      REDIS_URL: server.url,
    },
  });
  child = worker;
  let log = "";
  worker.stdout.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  await waitFor(() => log.includes("worker started"), { timeoutMs: 15_000 });
  await setRuleMode(withActor(world.control, SYSTEM), {
    id: "new-links-free",
    mode: "shadow",
    reason: "test",
  });
  const { version } = await getInstallation(world.control.db);
  await waitFor(async () => (await head())?.version === version);
  const ended = new Promise<number | null>((resolve) => worker.once("exit", resolve));
  const startedMs = performance.now();
  worker.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(2_000);
});
