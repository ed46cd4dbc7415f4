import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DirectoryEntry } from "../core/directory";
import type { Rule } from "../core/rule";
import { controlKeys } from "../redis/control-keys";
import { appendDirectoryDelta } from "../redis/directory";
import {
  directoryOf,
  echoUpstream,
  type Listening,
  publishDirectory,
  publishRules,
  randomEnvironment,
  startGateway,
  TEST_EPOCH,
  type TestGateway,
  temporaryFolder,
} from "../testing/gateway";
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { sharedRedisUrl } from "../testing/services";
import { waitFor } from "../testing/wait-for";

const environment = randomEnvironment();
const KEYS = { "hg-key-one": { id: "k1", customer: "acme", plan: "free" } };
const HOURLY = { rate: 1, per: "1h", burst: 2 };
const QUICK = { rate: 1_000, per: "1s", burst: 1_000 };
let redis: Redis;
let upstream: Listening;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateway: TestGateway;
let version = 0;
let seq = 1;

beforeAll(async () => {
  redis = new Redis(sharedRedisUrl());
  [upstream, folder] = await Promise.all([echoUpstream(), temporaryFolder()]);
  await publishDirectory(redis, directoryOf(environment, KEYS));
  gateway = await startGateway({
    environment,
    redisUrl: sharedRedisUrl(),
    upstream: upstream.url,
    dataDir: folder.path,
  });
});

afterAll(async () => {
  await gateway.close();
  await Promise.all([upstream.close(), folder.remove()]);
  redis.disconnect();
});

/** Slots follow the place in the list. */
async function publish(rules: Rule[]): Promise<void> {
  version += 1;
  const body = bodyOf(rules);
  for (const [i, entry] of body.rules.entries())
    if (entry.live) Object.assign(entry.live, { slot: i + 1, revision: revisionOf(rules[i]) });
  await publishRules(redis, { environment, version, body });
  await waitFor(() => gateway.status().rules.applied?.version === version);
  await waitFor(() => gateway.status().directory.complete);
}

/** The same for the same rule, as the console numbers them. */
function revisionOf(rule: Rule | undefined): number {
  const text = JSON.stringify(rule);
  const known = revisions.indexOf(text);
  return known < 0 ? revisions.push(text) : known + 1;
}
const revisions: string[] = [];

async function putOverride(entry: Partial<DirectoryEntry>): Promise<void> {
  seq += 1;
  const override: DirectoryEntry = {
    type: "override",
    id: "o1",
    client: "key:k1",
    rule: "slow",
    limit: QUICK,
    expiresAtMs: Date.now() + 3_600_000,
    ...(entry as object),
  };
  await publishDirectory(redis, directoryOf(environment, KEYS, [override], seq));
  await waitFor(() => gateway.status().directory.position?.seq === seq);
}

async function ask(path = "/v1/messages"): Promise<Response> {
  return fetch(`${gateway.url}${path}`, { headers: { "x-api-key": "hg-key-one" } });
}

async function fromMemory(kind: string): Promise<number> {
  const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
  const found = new RegExp(`^headgate_memory_decisions_total{kind="${kind}"} (\\d+)$`, "m");
  return Number(found.exec(text)?.[1] ?? Number.NaN);
}

async function untilKnown(): Promise<void> {
  const before = await fromMemory("known-empty");
  await waitFor(async () => {
    await ask();
    return (await fromMemory("known-empty")) > before;
  });
}

const slow = (limit: object) => tokenBucketRule({ id: "slow", limit: { default: limit } });

test("a client that is refused from memory is told what Redis would tell it", async () => {
  await publish([slow(HOURLY)]);
  await untilKnown();
  const refused = await ask();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3_500);
  expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(3_600);
  expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
  expect(refused.headers.get("x-ratelimit-limit")).toBe("2");
});

test("a publish, be it of another rule, lets Redis decide again", async () => {
  await publish([slow(HOURLY)]);
  await untilKnown();
  await publish([slow(HOURLY), tokenBucketRule({ id: "other" })]);
  const before = await fromMemory("known-empty");
  await ask();
  expect(await fromMemory("known-empty")).toBe(before);
});

test.each<[string, DirectoryEntry]>([
  [
    "an override",
    {
      type: "override",
      id: "o9",
      client: "key:k9",
      rule: "slow",
      limit: QUICK,
      expiresAtMs: Date.now() + 3_600_000,
    },
  ],
  ["a change of plan", { type: "customer", id: "acme", plan: "paid" }],
])("%s, be it another client's, lets Redis decide again", async (_, entry) => {
  await publish([slow(HOURLY)]);
  await untilKnown();
  seq += 1;
  const keys = controlKeys(environment);
  const position = { epoch: TEST_EPOCH, seq };
  await appendDirectoryDelta(redis, keys, { ...position, entries: [entry] });
  await redis.publish(keys.notices, JSON.stringify({ kind: "directory", ...position }));
  await waitFor(() => gateway.status().directory.position?.seq === seq);
  const before = await fromMemory("known-empty");
  await ask();
  expect(await fromMemory("known-empty")).toBe(before);
});

test("a raised limit and an override are felt by the next request", async () => {
  await publish([slow(HOURLY)]);
  await untilKnown();
  await publish([slow(QUICK)]);
  expect((await ask()).status).toBe(200);
  await publish([slow(HOURLY)]);
  await untilKnown();
  await putOverride({});
  expect((await ask()).status).toBe(200);
  await putOverride({ removed: true });
  await untilKnown();
});

test("a gateway that stops has told Redis all that it counted ahead of it", async () => {
  const limit = { rate: 100, per: "1h", burst: 100 };
  const ahead = { id: "ahead", countBy: ["ip" as const], precision: "approximate" as const };
  await publish([tokenBucketRule({ ...ahead, limit: { default: limit } })]);
  const url = sharedRedisUrl();
  const own = { environment, redisUrl: url, upstream: upstream.url, dataDir: folder.path };
  const stopping = await startGateway({ ...own, id: "stopping" });
  await waitFor(() => stopping.status().rules.applied?.version === version);
  await waitFor(() => stopping.status().directory.complete);
  const headers = { "x-api-key": "hg-key-one" };
  for (let i = 0; i < 10; i += 1) await fetch(`${stopping.url}/v1/messages`, { headers });
  await stopping.close();
  const next = await ask();
  expect(next.headers.get("x-ratelimit-remaining")).toBe("89");
});
