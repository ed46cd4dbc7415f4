import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from "node:http";
import { Redis } from "ioredis";
import { afterEach, expect, test } from "vitest";
import type { Rule } from "../core/rule";
import {
  directoryOf,
  type Listening,
  listenHttp,
  publishDirectory,
  publishRules,
  randomEnvironment,
  startGateway,
  type TestGateway,
  temporaryFolder,
} from "../testing/gateway";
import { startRedis, type TestRedis } from "../testing/redis";
import { bodyOf, ruleOf, tokenBucketRule } from "../testing/rules";
import { waitFor } from "../testing/wait-for";

const KEYS = { "hg-key-one": { id: "k1", customer: "acme", plan: "free" } };
const closing: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Streams that the test ends. */
type Upstream = Listening & { streams: ServerResponse[]; aborted: number };

async function streamingUpstream(): Promise<Upstream> {
  const seen = { streams: [] as ServerResponse[], aborted: 0 };
  const listening = await listenHttp((_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write("data: first\n\n");
    seen.streams.push(response);
    response.once("close", () => {
      if (!response.writableFinished) seen.aborted += 1;
    });
  });
  return Object.assign(seen, listening);
}

type World = {
  environment: string;
  server: TestRedis;
  redis: Redis;
  upstream: Upstream;
  gateway: TestGateway;
};

async function startWorld(rules: Rule[], checkDeadlineMs = 1_000): Promise<World> {
  const environment = randomEnvironment();
  const server = await startRedis();
  closing.push(() => server.stop());
  const redis = new Redis(server.url, { retryStrategy: () => 50 });
  redis.on("error", () => {});
  closing.push(() => redis.disconnect());
  const [upstream, folder] = await Promise.all([streamingUpstream(), temporaryFolder()]);
  closing.push(upstream.close, folder.remove);
  await publishRules(redis, { environment, version: 1, body: bodyOf(rules) });
  await publishDirectory(redis, directoryOf(environment, KEYS));
  const gateway = await startGateway({
    environment,
    redisUrl: server.url,
    upstream: upstream.url,
    dataDir: folder.path,
    checkDeadlineMs,
  });
  closing.push(gateway.close);
  await waitFor(async () => (await fetch(`${gateway.adminUrl}/ready`)).status === 200);
  return { environment, server, redis, upstream, gateway };
}

type Call = { outgoing: ClientRequest; response: IncomingMessage };

async function call({ url }: TestGateway): Promise<Call> {
  const outgoing = request(`${url}/v1/messages`, {
    headers: { "x-api-key": "hg-key-one", "accept-encoding": "gzip" },
    agent: false,
  });
  outgoing.on("error", () => {});
  outgoing.end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  response.on("error", () => {});
  return { outgoing, response };
}

async function statuses(gateway: TestGateway, count: number): Promise<number[]> {
  const calls = await Promise.all(Array.from({ length: count }, () => call(gateway)));
  return calls.map(({ response }) => response.statusCode ?? 0).sort();
}

async function held({ redis, environment }: World): Promise<number> {
  const keys = await redis.keys(`hg:${environment}:1:*`);
  const counts = await Promise.all(
    keys.map(async (key) => ((await redis.type(key)) === "zset" ? redis.zcard(key) : 0)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

const two = (fields: Parameters<typeof ruleOf>[1] = {}) =>
  ruleOf({ kind: "concurrency", lease: "30s", default: { concurrent: 2 } }, fields);

test("of streams at the same time two run; one that is hung up and one that ends make room for just two", async () => {
  const world = await startWorld([two()]);
  const { gateway, upstream } = world;
  const first = await call(gateway);
  const second = await call(gateway);
  expect((await once(first.response, "data")).toString()).toContain("first");
  const third = await call(gateway);
  expect(third.response.statusCode).toBe(429);
  expect(third.response.headers).toMatchObject({
    "retry-after": "1",
    "x-ratelimit-limit": "2",
    "x-ratelimit-remaining": "0",
    "ratelimit-policy": '"per-key-rate";q=2;qu="concurrent-requests"',
  });
  third.response.resume();

  first.outgoing.destroy();
  await waitFor(() => upstream.aborted === 1, { what: "the abort at the upstream" });
  await waitFor(async () => (await held(world)) === 1, { timeoutMs: 2_000 });
  second.response.resume();
  for (const stream of upstream.streams) stream.end();
  await waitFor(async () => (await held(world)) === 0, { timeoutMs: 2_000 });
  expect(await statuses(gateway, 4)).toEqual([200, 200, 429, 429]);
}, 20_000);

test("what another rule refuses, or an upstream that is not there, leaves nothing in flight", async () => {
  const never = tokenBucketRule({
    id: "one-an-hour",
    limit: { default: { rate: 1, per: "1h", burst: 1 } },
  });
  const world = await startWorld([two(), never]);
  const passed = await call(world.gateway);
  passed.response.resume();
  expect((await call(world.gateway)).response.statusCode).toBe(429);
  expect(await held(world)).toBe(1);
  await world.upstream.close();
  await waitFor(async () => (await held(world)) === 0);
  await publishRules(world.redis, { ...world, version: 2, body: bodyOf([two()]) });
  await waitFor(() => world.gateway.status().rules.applied?.version === 2);
  for (let i = 0; i < 5; i += 1) expect((await call(world.gateway)).response.statusCode).toBe(502);
  await waitFor(async () => (await held(world)) === 0);
}, 20_000);

test("a shadow rule counts requests in flight and refuses none", async () => {
  const world = await startWorld([two({ mode: "shadow" })]);
  expect(await statuses(world.gateway, 4)).toEqual([200, 200, 200, 200]);
  expect(await held(world)).toBe(2);
});

test("while Redis is away a gateway counts its own, those that began before, too; back, they are in Redis again", async () => {
  const rule = ruleOf({ kind: "concurrency", lease: "3s", default: { concurrent: 2 } });
  const world = await startWorld([rule], 200);
  const { gateway, server, upstream } = world;
  await call(gateway);
  server.kill("SIGSTOP");
  expect(await statuses(gateway, 3)).toEqual([200, 429, 429]);
  await waitFor(() => gateway.status().mode === "local");
  expect(await statuses(gateway, 1)).toEqual([429]);
  server.kill("SIGCONT");
  await waitFor(() => gateway.status().mode === "shared", { timeoutMs: 10_000 });
  await waitFor(async () => (await held(world)) === 2, { what: "both in Redis by renewal" });
  await world.redis.flushdb();
  await waitFor(async () => (await held(world)) === 2, { what: "both again after a flush" });
  expect(await statuses(gateway, 1)).toEqual([429]);
  for (const stream of upstream.streams) stream.end();
  await waitFor(async () => (await held(world)) === 0);
}, 30_000);

test("a killed gateway's slots are free after their lease, a living one's are not", async () => {
  const rule = ruleOf({ kind: "concurrency", lease: "2s", default: { concurrent: 2 } });
  const world = await startWorld([rule]);
  const other = await forkGateway(world);
  await call(world.gateway);
  const there = await call({ ...world.gateway, url: other.url });
  expect(there.response.statusCode).toBe(200);
  expect(await statuses(world.gateway, 1)).toEqual([429]);
  const beforeMs = performance.now();
  other.child.kill("SIGKILL");
  await waitFor(async () => (await statuses(world.gateway, 1))[0] === 200, { timeoutMs: 10_000 });
  // Renewed a third of its time ago at most.
  expect(performance.now() - beforeMs).toBeGreaterThan(1_000);
  expect(await statuses(world.gateway, 1)).toEqual([429]);
}, 30_000);

async function forkGateway({
  environment,
  server,
  upstream,
}: World): Promise<{ child: ChildProcess; url: string }> {
  const folder = await temporaryFolder();
  closing.push(folder.remove);
  const child = fork(new URL("../testing/gateway-process.ts", import.meta.url), {
    execArgv: ["--import", "tsx"],
    env: {
      ...process.env,
      TEST_GATEWAY: JSON.stringify({
        id: "gateway-b",
        environment,
        redisUrl: server.url,
        upstream: upstream.url,
        dataDir: folder.path,
      }),
    },
  });
  closing.push(() => child.kill("SIGKILL"));
  const [{ url, adminUrl }] = (await once(child, "message")) as [{ url: string; adminUrl: string }];
  await waitFor(async () => (await fetch(`${adminUrl}/ready`)).status === 200);
  return { child, url };
}
