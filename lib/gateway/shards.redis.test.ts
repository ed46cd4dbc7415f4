import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CountBatchSchema } from "../core/counts";
import { createRendezvous } from "../core/rendezvous";
import type { Rule } from "../core/rule";
import { stateKey } from "../limiter/state-key";
import { controlKeys } from "../redis/control-keys";
import {
  addressOf,
  directoryOf,
  echoUpstream,
  type Listening,
  publishDirectory,
  publishRules,
  randomEnvironment,
  startGateway,
  type TestGateway,
  temporaryFolder,
} from "../testing/gateway";
import { startRedis, type TestRedis } from "../testing/redis";
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { sharedRedisUrl } from "../testing/services";
import { waitFor } from "../testing/wait-for";

const NAMES = ["a", "b", "c"];
const environment = randomEnvironment();
const placeOf = createRendezvous(NAMES);
/** The first of these that lives on the node. */
const firstOn = (node: number, principals: readonly string[]): string =>
  principals.find((principal) => placeOf(stateKey(environment, principal)) === node) ?? "";
const numbered = (prefix: string) => Array.from({ length: 50 }, (_, i) => `${prefix}${i + 1}`);

const key = firstOn(0, numbered("key:k")).slice("key:".length);
const customer = firstOn(1, numbered("customer:c")).slice("customer:".length);
const ip = firstOn(2, numbered("ip:198.51.100.")).slice("ip:".length);

let servers: TestRedis[];
let redis: Redis;
let upstream: Listening;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateway: TestGateway;
let version = 0;

beforeAll(async () => {
  redis = new Redis(sharedRedisUrl());
  servers = await Promise.all(NAMES.map(() => startRedis()));
  [upstream, folder] = await Promise.all([echoUpstream(), temporaryFolder()]);
  const keys = { "hg-key": { id: key, customer, plan: "free" } };
  await publishDirectory(redis, directoryOf(environment, keys));
  const nodes = servers.map(({ url }, index) => ({ ...addressOf(url), name: NAMES[index] ?? "" }));
  gateway = await startGateway({
    environment,
    redisUrl: sharedRedisUrl(),
    state: { kind: "ring", nodes },
    upstream: upstream.url,
    dataDir: folder.path,
  });
});

afterAll(async () => {
  await gateway.close();
  await Promise.all([upstream.close(), folder.remove(), ...servers.map((each) => each.stop())]);
  redis.disconnect();
});

async function publish(rules: Rule[]): Promise<void> {
  version += 1;
  await publishRules(redis, { environment, version, body: bodyOf(rules) });
  await waitFor(() => gateway.status().rules.applied?.version === version);
  await waitFor(() => gateway.status().directory.complete);
}

function ruleOf(id: string, countBy: string, burst: number, mode = "enforce"): Rule {
  const amount = { rate: 1, per: "1h", burst };
  return tokenBucketRule({
    id,
    countBy: [countBy] as Rule["countBy"],
    mode: mode as Rule["mode"],
    limit: { default: amount, anonymous: amount },
  });
}

function send(): Promise<Response> {
  const headers = { "x-api-key": "hg-key", "x-forwarded-for": ip };
  return fetch(`${gateway.url}/v1/messages`, { headers });
}

async function countsOf(rule: string): Promise<{ requests: number; rejections: number }> {
  const entries = await redis.xrange(controlKeys(environment).counts, "-", "+");
  const rows = entries
    .flatMap(([, fields]) => CountBatchSchema.parse(JSON.parse(fields[1] ?? "")).counts)
    .filter((row) => row.rule === rule);
  const sum = (field: "requests" | "rejections") =>
    rows.reduce((total, row) => total + row[field], 0);
  return { requests: sum("requests"), rejections: sum("rejections") };
}

test("rules whose buckets are on two servers are charged together, and a shadow rule's on a third is counted after the answer", async () => {
  const perKey = ruleOf("per-key", "apiKey", 10);
  const perCustomer = ruleOf("per-customer", "customer", 3);
  const watched = ruleOf("per-ip", "ip", 2, "shadow");
  await publish([perKey, perCustomer, watched]);
  const answers: [number, string | null][] = [];
  for (let i = 0; i < 4; i += 1) {
    const answer = await send();
    answers.push([answer.status, answer.headers.get("x-ratelimit-remaining")]);
  }
  expect(answers).toEqual([
    [200, "2"],
    [200, "1"],
    [200, "0"],
    [429, "0"],
  ]);
  // Of three that passed the watched rule would have let two. The one that was refused met it, unasked, and hit nothing.
  await waitFor(async () => (await countsOf("per-key")).requests === 4, { what: "the counts" });
  await waitFor(async () => (await countsOf("per-ip")).requests === 4, { what: "later counts" });
  expect(await countsOf("per-ip")).toEqual({ requests: 4, rejections: 1 });
  // The refused one gave the key its token back: three are spent, and one more now.
  await publish([perKey]);
  const next = await send();
  expect([next.status, next.headers.get("x-ratelimit-remaining")]).toEqual([200, "6"]);
});

test("with a server away its clients are limited here, and /metrics and /status say which", async () => {
  await publish([ruleOf("per-key", "apiKey", 10), ruleOf("per-customer", "customer", 50)]);
  servers[1]?.kill("SIGKILL");
  await waitFor(() => gateway.status().mode === "local", { what: "mode local" });
  expect(gateway.status().modeReason).toMatch(/^b: /);
  const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
  expect(text).toContain('headgate_shard_local{shard="a"} 0');
  expect(text).toContain('headgate_shard_local{shard="b"} 1');
  expect((await send()).status).toBe(200);
});
