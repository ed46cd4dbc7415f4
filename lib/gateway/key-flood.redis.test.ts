import { randomBytes } from "node:crypto";
import { Agent, get } from "node:http";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SettingsSchema } from "../core/ruleset";
import {
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
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { sharedRedisUrl } from "../testing/services";
import { waitFor } from "../testing/wait-for";

const environment = randomEnvironment();
const agent = new Agent({ keepAlive: true, maxSockets: 32 });
let redis: Redis;
let upstream: Listening;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateway: TestGateway;

beforeAll(async () => {
  redis = new Redis(sharedRedisUrl());
  [upstream, folder] = await Promise.all([echoUpstream(), temporaryFolder()]);
  await publishDirectory(
    redis,
    directoryOf(environment, { "hg-key-one": { id: "k1", customer: "acme", plan: "free" } }),
  );
  gateway = await startGateway({
    environment,
    redisUrl: sharedRedisUrl(),
    upstream: upstream.url,
    dataDir: folder.path,
  });
});

afterAll(async () => {
  agent.destroy();
  await gateway.close();
  await Promise.all([upstream.close(), folder.remove()]);
  redis.disconnect();
});

async function publish(version: number, unknownKey: "anonymous" | "reject") {
  const plenty = { rate: 1_000_000, per: "1h", burst: 1_000_000 };
  const limit = { default: plenty, anonymous: plenty };
  const rules = ["client", "apiKey", "customer", "ip"].map((part) =>
    tokenBucketRule({ id: `by-${part.toLowerCase()}`, countBy: [part], limit }),
  );
  const identity = { keyHeaders: ["x-api-key", "authorization", "x-app-key"] };
  const settings = SettingsSchema.parse({ unknownKey, identity });
  await publishRules(redis, { environment, version, body: bodyOf(rules, { settings }) });
  await waitFor(
    () =>
      gateway.status().rules.applied?.version === version && gateway.status().directory.complete,
  );
}

function send(headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(`${gateway.url}/v1/messages`, { headers, agent }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
    });
    request.on("error", reject);
  });
}

/** Each with credentials that nobody has, in every place that one may stand. */
function flood(count: number): Promise<number[]> {
  const key = (i: number) => `hg_${i}_${randomBytes(12).toString("hex")}`;
  const kinds: ((i: number) => Record<string, string>)[] = [
    (i) => ({ "x-api-key": key(i) }),
    (i) => ({ authorization: `Bearer ${key(i)}` }),
    (i) => ({ "x-app-key": key(i) }),
    (i) => ({ "x-api-key": key(i), authorization: `Bearer ${key(i)}`, "x-app-key": key(i) }),
    (i) => ({ "x-api-key": `${key(i)}, ${key(i)}` }),
    (i) => ({ "x-api-key": `${key(i)}\u00e9\u00ff` }),
    (i) => ({ "x-api-key": key(i).padEnd(8_192, "x") }),
    (i) => ({ "x-api-key": "", authorization: `Bearer ${key(i)}` }),
  ];
  return Promise.all(
    Array.from({ length: count }, (_, i) => send(kinds[i % kinds.length]?.(i) ?? {})),
  );
}

/** The limiter's probe is nobody's bucket, and there for a second when Redis was slow. */
async function stateKeys(): Promise<string[]> {
  const keys = await redis.keys(`hg:${environment}:1:*`);
  return keys.filter((key) => !key.includes("{_probe}"));
}
const own = [`hg:${environment}:1:{ip:127.0.0.1}`];

test("4,000 requests with random keys make no bucket but their address's", async () => {
  await publish(1, "anonymous");
  expect(new Set(await flood(4_000))).toEqual(new Set([200]));
  expect(await stateKeys()).toEqual(own);
  const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
  expect(text).toContain('headgate_unknown_clients_total{source="key"} 4000');
});

test("where unknown keys are refused they make none at all", async () => {
  await publish(2, "reject");
  await redis.del(own);
  expect(new Set(await flood(800))).toEqual(new Set([401]));
  expect(await stateKeys()).toEqual([]);
});
