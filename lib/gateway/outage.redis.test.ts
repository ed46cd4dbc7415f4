import { Redis } from "ioredis";
import { afterEach, expect, test } from "vitest";
import { CountBatchSchema } from "../core/counts";
import type { Rule } from "../core/rule";
import { controlKeys } from "../redis/control-keys";
import {
  directoryOf,
  echoUpstream,
  publishDirectory,
  publishRules,
  randomEnvironment,
  type StubConsole,
  startGateway,
  stubConsole,
  type TestGateway,
  temporaryFolder,
} from "../testing/gateway";
import { startRedis, type TestRedis } from "../testing/redis";
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { waitFor } from "../testing/wait-for";

const KEYS = { "hg-key-one": { id: "k1", customer: "acme", plan: "free" } };
/** Long, so that on a busy machine waiting for it is told from not waiting. */
const DEADLINE_MS = 250;
const closing: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type World = {
  environment: string;
  server: TestRedis;
  redis: Redis;
  console: StubConsole;
  gateway: TestGateway;
};

async function startWorld(rules: Rule[]): Promise<World> {
  const environment = randomEnvironment();
  const server = await startRedis();
  closing.push(() => server.stop());
  const redis = new Redis(server.url, { retryStrategy: () => 50 });
  redis.on("error", () => {});
  closing.push(() => redis.disconnect());
  const [console, upstream, folder] = await Promise.all([
    stubConsole(),
    echoUpstream(),
    temporaryFolder(),
  ]);
  closing.push(console.close, upstream.close, folder.remove);
  await publishRules(redis, { environment, version: 1, body: bodyOf(rules) });
  await publishDirectory(redis, directoryOf(environment, KEYS));
  const gateway = await startGateway({
    environment,
    redisUrl: server.url,
    upstream: upstream.url,
    controlUrl: console.url,
    dataDir: folder.path,
    checkDeadlineMs: DEADLINE_MS,
  });
  closing.push(() => gateway.close());
  await waitFor(() => gateway.status().rules.applied !== null);
  await waitFor(() => gateway.status().directory.complete);
  await waitFor(async () => (await send(gateway)).status === 200);
  await waitFor(() => gateway.status().mode === "shared");
  return { environment, server, redis, console, gateway };
}

function send(gateway: TestGateway): Promise<Response> {
  return fetch(`${gateway.url}/v1/messages`, { headers: { "x-api-key": "hg-key-one" } });
}

const generous = tokenBucketRule({ limit: { default: { rate: 1000, per: "1m", burst: 1000 } } });

test.each(["SIGSTOP", "SIGKILL"] as const)(
  "Redis gone by %s: requests wait at most the deadline, the console is told within 2 s, and it heals by itself",
  async (signal) => {
    const { server, console, gateway } = await startWorld([generous]);
    const goneMs = performance.now();
    server.kill(signal);
    const took: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      const fromMs = performance.now();
      expect((await send(gateway)).status).toBe(200);
      took.push(performance.now() - fromMs);
    }
    took.sort((a, b) => a - b);
    // All but the first few find the breaker open and do not wait at all.
    expect(took[10]).toBeLessThan(DEADLINE_MS);
    expect(took.at(-1)).toBeLessThan(DEADLINE_MS + 750);
    const raised = await waitFor(() => console.alerts.find(({ state }) => state === "raised"));
    expect(raised.kind).toBe("gateway-degraded");
    expect(raised.receivedMs - goneMs).toBeLessThan(2_000);
    const status = await (await fetch(`${gateway.adminUrl}/status`)).json();
    expect(status).toMatchObject({ mode: "local", version: 1 });
    expect(status.error).toBeTruthy();

    if (signal === "SIGSTOP") server.kill("SIGCONT");
    else {
      const again = await startRedis({ port: server.port });
      closing.push(() => again.stop());
    }
    await waitFor(() => gateway.status().mode === "shared", { timeoutMs: 10_000 });
    await waitFor(() => console.alerts.find(({ state }) => state === "resolved"));
    expect((await send(gateway)).status).toBe(200);
  },
);

test("without Redis failMode open passes, closed answers 503, local limits", async () => {
  const { server, gateway } = await startWorld([
    tokenBucketRule({ id: "pays", failMode: "closed", match: { routes: ["/pay"] } }),
    tokenBucketRule({ id: "reads", failMode: "open", match: { routes: ["/read"] } }),
  ]);
  server.kill("SIGKILL");
  await waitFor(() => gateway.status().mode === "local");
  const headers = { "x-api-key": "hg-key-one" };
  const paid = await fetch(`${gateway.url}/pay`, { headers });
  expect(paid.status).toBe(503);
  expect(Number(paid.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(await paid.json()).toMatchObject({ rule: "pays", status: 503 });
  const read = await fetch(`${gateway.url}/read`, { headers });
  expect(read.status).toBe(200);
  expect(read.headers.get("x-ratelimit-limit")).toBeNull();
});

async function batchesIn(redis: Redis, environment: string) {
  const entries = await redis.xrange(controlKeys(environment).counts, "-", "+");
  return entries.map(([, fields]) => CountBatchSchema.parse(JSON.parse(fields[1] ?? "")));
}

test("what is counted while Redis hangs reaches the console, each batch once by its number", async () => {
  const { environment, server, redis, console, gateway } = await startWorld([
    tokenBucketRule({
      id: "watch",
      mode: "shadow",
      limit: { default: { rate: 1, per: "1h", burst: 1 } },
    }),
  ]);
  await send(gateway);
  await waitFor(async () => (await batchesIn(redis, environment)).length > 0);
  server.kill("SIGSTOP");
  for (let i = 0; i < 10; i += 1) await send(gateway);
  await waitFor(() => console.batches.some(({ traffic }) => traffic.local > 0), {
    timeoutMs: 10_000,
  });
  server.kill("SIGCONT");
  await waitFor(() => gateway.status().mode === "shared", { timeoutMs: 10_000 });
  await send(gateway);
  await waitFor(() => gateway.status().batches.waiting === 0);
  const sent = 2 + 10 + 1;
  const all = async () => [...(await batchesIn(redis, environment)), ...console.batches];
  const requests = async () => {
    const bySequence = new Map((await all()).map((batch) => [batch.sequence, batch]));
    return [...bySequence.values()].reduce((sum, batch) => sum + batch.traffic.requests, 0);
  };
  await waitFor(async () => (await requests()) === sent, { what: `${sent} requests counted` });
  const sequences = [...new Set((await all()).map(({ sequence }) => sequence))];
  sequences.sort((a, b) => a - b);
  expect(sequences).toEqual(sequences.map((_, i) => i + 1));
});

test("a stop says drained, ends what runs, and sends the last counts", async () => {
  const { environment, redis, gateway } = await startWorld([generous]);
  for (let i = 0; i < 5; i += 1) await send(gateway);
  const fromMs = performance.now();
  await gateway.close();
  expect(performance.now() - fromMs).toBeLessThan(1_500);
  const [last] = await redis.xrevrange(controlKeys(environment).heartbeats, "+", "-", "COUNT", 1);
  expect(JSON.parse(last?.[1][1] ?? "{}")).toMatchObject({
    state: "drained",
    gateway: "gateway-a",
  });
  const batches = await batchesIn(redis, environment);
  expect(batches.reduce((sum, { traffic }) => sum + traffic.requests, 0)).toBe(6);
  await expect(send(gateway)).rejects.toThrow();
});
