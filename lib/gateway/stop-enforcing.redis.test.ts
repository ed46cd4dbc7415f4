import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterEach, expect, test } from "vitest";
import type { Rule } from "../core/rule";
import {
  directoryOf,
  echoUpstream,
  publishDirectory,
  publishRules,
  randomEnvironment,
  startGateway,
  stubConsole,
  type TestGateway,
  temporaryFolder,
} from "../testing/gateway";
import { startRedis } from "../testing/redis";
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { waitFor } from "../testing/wait-for";

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const KEYS = { "hg-key-one": { id: "k1", customer: "acme", plan: "free" } };
const amount = { default: { rate: 1, per: "1h", burst: 1 } };
const messages = tokenBucketRule({
  id: "messages",
  mode: "enforce",
  match: { routes: ["/v1/messages"] },
  limit: amount,
});
const links = tokenBucketRule({
  id: "links",
  mode: "enforce",
  match: { routes: ["/v1/links"] },
  limit: amount,
});

async function startWorld(rules: Rule[], stopEnforcing?: string) {
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
  const body = bodyOf(rules);
  await publishRules(redis, {
    environment,
    version: 1,
    body: { ...body, lists: { ...body.lists, deny: [{ value: "203.0.113.7", reason: "" }] } },
  });
  await publishDirectory(redis, directoryOf(environment, KEYS));
  const start = () =>
    startGateway({
      environment,
      redisUrl: server.url,
      upstream: upstream.url,
      controlUrl: console.url,
      dataDir: folder.path,
      trustProxy: { kind: "networks", cidrs: ["127.0.0.0/8"] },
      ...(stopEnforcing === undefined ? {} : { stopEnforcing }),
    });
  const gateway = await start();
  closing.push(() => gateway.close());
  await waitFor(() => gateway.status().rules.applied !== null);
  await waitFor(() => gateway.status().directory.complete);
  return { server, console, gateway, start, file: join(folder.path, "stop-enforcing") };
}

async function statusOf(gateway: TestGateway, path: string, from?: string): Promise<number> {
  const headers = from === undefined ? { "x-api-key": "hg-key-one" } : { "x-forwarded-for": from };
  return (await fetch(`${gateway.url}${path}`, { headers: { ...headers } })).status;
}

async function exhaust(gateway: TestGateway, path: string): Promise<void> {
  await waitFor(async () => (await statusOf(gateway, path)) === 429);
}

async function adminStatus(gateway: TestGateway): Promise<Record<string, unknown>> {
  return (await fetch(`${gateway.adminUrl}/status`)).json() as Promise<Record<string, unknown>>;
}

test("a file on the machine stops enforcing with Redis and the console down, over a restart, and its removal ends it", async () => {
  const { server, console, gateway, start, file } = await startWorld([messages, links]);
  await exhaust(gateway, "/v1/messages");
  await exhaust(gateway, "/v1/links");
  await server.stop();
  await console.close();

  await writeFile(file, "messages\n");
  await waitFor(async () => (await statusOf(gateway, "/v1/messages")) === 200);
  expect(await adminStatus(gateway)).toMatchObject({
    stopEnforcing: { rules: ["messages"], by: ["file"], unknown: [] },
  });
  await exhaust(gateway, "/v1/links");

  await writeFile(file, "");
  await waitFor(async () => (await statusOf(gateway, "/v1/links")) === 200);
  const answer = await fetch(`${gateway.url}/v1/links`, { headers: { "x-api-key": "hg-key-one" } });
  expect(answer.headers.get("x-ratelimit-limit")).toBeNull();
  await gateway.close();

  const second = await start();
  closing.push(() => second.close());
  for (let i = 0; i < 5; i += 1) expect(await statusOf(second, "/v1/links")).toBe(200);
  await rm(file);
  await exhaust(second, "/v1/links");
  expect(await adminStatus(second)).toMatchObject({ stopEnforcing: null });
});

test("a variable does the same from the start, the console is told, and a list goes only by its name", async () => {
  const { console, gateway, file } = await startWorld([messages], "all");
  for (let i = 0; i < 5; i += 1) expect(await statusOf(gateway, "/v1/messages")).toBe(200);
  await waitFor(() => console.heartbeats.length > 0 || gateway.status().rules.applied !== null);
  expect(gateway.status().stopEnforcing).toMatchObject({ rules: ["all"], by: ["variable"] });
  expect(await statusOf(gateway, "/v1/messages", "203.0.113.7")).toBe(403);
  await writeFile(file, "_deny, no-such-rule, What?");
  await waitFor(async () => (await statusOf(gateway, "/v1/messages", "203.0.113.7")) === 200);
  expect(await adminStatus(gateway)).toMatchObject({
    stopEnforcing: { rules: ["_deny", "all", "no-such-rule"], unknown: ["no-such-rule"] },
    error: "stop-enforcing takes all or ids of rules, got What?",
  });
});
