import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getInstallation } from "../control/live-version";
import { readSnapshotHead } from "../redis/snapshot";
import type { Doomed } from "../testing/doomed-process";
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

// Processes of their own, killed with SIGKILL at each step of a publish; the fleet converges every time.

const WAIT = { timeoutMs: 30_000 };
const root = fileURLToPath(new URL("../..", import.meta.url));
let server: TestRedis;
let world: ControlWorld;
let upstream: Listening;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateway: TestGateway;

beforeAll(async () => {
  server = await startRedis();
  world = await controlWorld({ redisUrl: server.url, demo: true });
  [upstream, folder] = await Promise.all([echoUpstream(), temporaryFolder()]);
  const [secret] = world.control.config.secrets;
  await withWorker(async () => {
    gateway = await startGateway({
      environment: world.control.environment,
      redisUrl: server.url,
      upstream: upstream.url,
      dataDir: folder.path,
      secrets: [secret],
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

async function withWorker(work: () => Promise<unknown>): Promise<void> {
  const worker = startWorker(world.another(), { relayPollMs: 50, reassertMs: 100 });
  try {
    await work();
  } finally {
    await worker.stop();
  }
}

let isShadow = true;
/** Resolves when the process is dead, by its own SIGKILL. */
async function runDoomed(diesAfter: Doomed["diesAfter"]): Promise<void> {
  const doomed: Doomed = {
    config: world.control.config,
    diesAfter,
    mode: isShadow ? "off" : "shadow",
  };
  const child = spawn(process.execPath, ["--import", "tsx", "lib/testing/doomed-process.ts"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: { NODE_ENV: "test", PATH: process.env.PATH, DOOMED: JSON.stringify(doomed) },
  });
  const [code, signal] = await once(child, "exit");
  expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" });
}

async function killedAfterCommit(): Promise<void> {
  await runDoomed("the commit");
  isShadow = !isShadow;
}

const live = () => getInstallation(world.control.db);
const openRows = () => world.control.db.outbox.count({ where: { doneAt: null } });
const head = () => readSnapshotHead(world.control.redis, world.control.redisKeys);

async function converged(): Promise<void> {
  const { epoch, version } = await live();
  await waitFor(() => {
    const { applied } = gateway.status().rules;
    return applied?.version === version && applied.epoch === epoch;
  }, WAIT);
}

test("a publisher killed before its commit leaves nothing, and the next publish reaches the fleet", async () => {
  const before = await live();
  await runDoomed("the work, before its commit");
  expect(await live()).toEqual(before);
  expect(await openRows()).toBe(0);
  await killedAfterCommit();
  expect((await live()).version).toBe(before.version + 1);
  await withWorker(converged);
}, 60_000);

test("a publisher killed right after its commit: a worker that comes later brings it to the fleet", async () => {
  await killedAfterCommit();
  expect(await openRows()).toBe(1);
  expect(gateway.status().rules.applied?.version).toBeLessThan((await live()).version);
  await withWorker(converged);
  expect(await openRows()).toBe(0);
}, 60_000);

test("a worker killed between snapshot and notice: the fleet finds it, and the next worker ends the row", async () => {
  await killedAfterCommit();
  await runDoomed("the snapshot");
  expect((await head())?.version).toBe((await live()).version);
  expect(await openRows()).toBe(1);
  await converged();
  await withWorker(() => waitFor(async () => (await openRows()) === 0, WAIT));
}, 60_000);

test("a worker killed after its notice, before its own commit: told again, and nobody goes back", async () => {
  await killedAfterCommit();
  await runDoomed("the notice");
  expect(await openRows()).toBe(1);
  await converged();
  await withWorker(() => waitFor(async () => (await openRows()) === 0, WAIT));
  expect(gateway.status().rules.applied?.version).toBe((await live()).version);
}, 60_000);
