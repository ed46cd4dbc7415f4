import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CountBatch, CountBatchSchema, type CountRow } from "../core/counts";
import { ListsSchema } from "../core/list-entry";
import { SettingsSchema } from "../core/ruleset";
import { controlKeys } from "../redis/control-keys";
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
import { startRedis, type TestRedis } from "../testing/redis";
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { waitFor } from "../testing/wait-for";

const environment = randomEnvironment();
const KEYS = {
  "hg-key-one": { id: "k1", customer: "acme", plan: "free" },
  "hg-key-two": { id: "k2", customer: "acme", plan: "free" },
  "hg-key-three": { id: "k3", customer: "bolt", plan: "paid" },
  // Only where what is counted of it must be told from the rest.
  "hg-key-four": { id: "k4", customer: "crux", plan: "enterprise" },
};
const ONE = { key: "hg-key-one" };
const TWO = { key: "hg-key-two" };
const THREE = { key: "hg-key-three" };

let server: TestRedis;
let redis: Redis;
let upstream: Listening;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateway: TestGateway;
let version = 0;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url, { retryStrategy: () => 50 });
  redis.on("error", () => {});
  [upstream, folder] = await Promise.all([echoUpstream(), temporaryFolder()]);
  await publishDirectory(redis, directoryOf(environment, KEYS));
  gateway = await startGateway({
    environment,
    redisUrl: server.url,
    upstream: upstream.url,
    dataDir: folder.path,
    checkDeadlineMs: 250,
  });
});

afterAll(async () => {
  await gateway.close();
  await Promise.all([upstream.close(), folder.remove()]);
  redis.disconnect();
  await server.stop();
});

/** With a rule that allows one request of a client, so that a list that lets pass is seen. */
async function publish(lists: unknown, settings: unknown = {}) {
  version += 1;
  const amount = { rate: 1, per: "1d", burst: 1 };
  const rule = tokenBucketRule({
    id: "strict",
    countBy: ["client"],
    limit: { default: amount, anonymous: amount },
  });
  const body = bodyOf([rule], {
    lists: ListsSchema.parse(lists),
    settings: SettingsSchema.parse(settings),
  });
  for (const entry of body.rules) if (entry.live) entry.live.slot = version;
  await publishRules(redis, { environment, version, body });
  await waitFor(() => gateway.status().rules.applied?.version === version);
  await waitFor(() => gateway.status().directory.complete);
}

type Sent = { key?: string; ip?: string; headers?: Record<string, string>; method?: string };

function send({ key, ip = "203.0.113.9", headers = {}, method = "GET" }: Sent = {}) {
  const own: Record<string, string> = { ...headers, "x-forwarded-for": ip };
  if (key !== undefined) own["x-api-key"] = key;
  return fetch(`${gateway.url}/v1/messages`, { headers: own, method });
}

async function statuses(count: number, sent: Sent): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => send(sent)));
  return answers.map(({ status }) => status).sort();
}

const list = (...values: string[]) => values.map((value) => ({ value }));
const limitHeaders = (answer: Response) =>
  [...answer.headers.keys()].filter((name) => /ratelimit|retry-after/.test(name));

describe("deny", () => {
  test("answers 403 as a problem with the request id, and tells nothing of the entry", async () => {
    await publish({ deny: [{ value: "203.0.113.9", reason: "secret suspicion" }] });
    const answer = await send({ headers: { "x-request-id": "denied-1" } });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.headers.get("x-request-id")).toBe("denied-1");
    expect(limitHeaders(answer)).toEqual([]);
    expect(await answer.json()).toEqual({
      type: "about:blank",
      title: "Forbidden",
      status: 403,
      detail: "This client is not let in.",
      requestId: "denied-1",
      rule: "_deny",
      version,
    });
  });

  test.each<[string, Sent, Sent]>([
    ["key:k1", ONE, TWO],
    ["customer:acme", TWO, THREE],
    ["203.0.113.9", THREE, { ...THREE, ip: "203.0.113.10" }],
    ["ip:203.0.113.0/28", { ip: "203.0.113.9" }, { ip: "203.0.113.17" }],
    ["ip:2001:db8:7::/64", { ip: "2001:db8:7::ffff" }, { ip: "2001:db8:8::ffff" }],
    ["203.0.113.0/28", { ip: "::ffff:203.0.113.9" }, { ip: "::ffff:203.0.113.17" }],
  ])("%s holds %j and not %j", async (value, held, free) => {
    await publish({ deny: list(value) });
    expect((await send(held)).status).toBe(403);
    expect((await send(free)).status).toBe(200);
  });

  test("also a preflight, and a key that would get 401", async () => {
    await publish({ deny: list("203.0.113.9") }, { unknownKey: "reject" });
    const preflight = { origin: "https://a.example", "access-control-request-method": "GET" };
    expect((await send({ method: "OPTIONS", headers: preflight })).status).toBe(403);
    expect((await send({ key: "nobody" })).status).toBe(403);
    expect((await send({ key: "nobody", ip: "203.0.113.10" })).status).toBe(401);
  });
});

describe("allow", () => {
  test("passes without any rule and without limit headers", async () => {
    await publish({ allow: list("203.0.113.9") });
    const answers = await Promise.all(Array.from({ length: 5 }, () => send()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.flatMap(limitHeaders)).toEqual([]);
    expect(await statuses(2, { ip: "203.0.113.10" })).toEqual([200, 429]);
  });

  test("within what is denied, and not for the one key that is denied within it", async () => {
    await publish({ allow: list("customer:acme"), deny: list("0.0.0.0/0", "key:k2") });
    expect(await statuses(3, ONE)).toEqual([200, 200, 200]);
    expect((await send(TWO)).status).toBe(403);
    expect((await send(THREE)).status).toBe(403);
  });

  test("does not stand for a key", async () => {
    await publish({ allow: list("203.0.113.9") }, { unknownKey: "reject" });
    expect((await send({ key: "nobody" })).status).toBe(401);
    expect((await send()).status).toBe(200);
  });
});

describe("flood", () => {
  test("more than perSecond of one address at once: 429 with Retry-After 1", async () => {
    await publish({ flood: [{ value: "203.0.113.0/24", perSecond: 5 }], allow: list("key:k1") });
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => send({ key: "hg-key-two" })),
    );
    const flooded = answers.filter((answer) => answer.headers.get("retry-after") === "1");
    expect(flooded.length).toBeGreaterThan(25);
    const [one] = flooded;
    expect(one?.status).toBe(429);
    expect(await one?.json()).toMatchObject({
      status: 429,
      rule: "_flood",
      retryAfter: 1,
      "violated-policies": ["_flood"],
      version,
    });
    // Who is allowed is not counted; another address has a bucket of its own.
    expect(await statuses(20, ONE)).toEqual(Array(20).fill(200));
    expect((await send({ ip: "203.0.113.10" })).status).toBe(200);
  });

  test("IPv6 is counted by the client's prefix, whatever address of it asks", async () => {
    await publish({ flood: [{ value: "::/0", perSecond: 2 }] });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => send({ ip: `2001:db8:9::${i + 1}` })),
    );
    const rules = await Promise.all(
      answers.filter(({ status }) => status === 429).map((answer) => answer.json()),
    );
    expect(rules.filter(({ rule }) => rule === "_flood").length).toBeGreaterThan(10);
  });
});

async function batches(): Promise<CountBatch[]> {
  const entries = await redis.xrange(controlKeys(environment).counts, "-", "+");
  return entries.map(([, fields]) => CountBatchSchema.parse(JSON.parse(fields[1] ?? "")));
}

async function rowsOf(rule: string): Promise<CountRow[]> {
  return (await batches()).flatMap(({ counts }) => counts.filter((row) => row.rule === rule));
}

const sum = (rows: readonly CountRow[], field: "requests" | "rejections") =>
  rows.reduce((total, row) => total + row[field], 0);

test("what lists drop is counted and logged as _deny and _flood, and shows in the metrics", async () => {
  const metricsNow = async () => (await fetch(`${gateway.adminUrl}/metrics`)).text();
  const before = await metricsNow();
  await publish({ deny: list("customer:crux"), flood: [{ value: "192.0.2.1", perSecond: 1 }] });
  expect(await statuses(7, { key: "hg-key-four" })).toEqual(Array(7).fill(403));
  await statuses(10, { ip: "192.0.2.1" });
  const denied = await waitFor(async () => {
    const rows = (await rowsOf("_deny")).filter(({ plan }) => plan === "enterprise");
    return sum(rows, "rejections") === 7 && rows;
  });
  expect(sum(denied, "requests")).toBe(7);
  const hit = (rule: string, client: string) =>
    waitFor(async () => {
      const hits = (await batches()).flatMap((batch) => batch.hits);
      return hits.find((each) => each.rule === rule && each.client === client);
    });
  expect(await hit("_deny", "key:k4")).toMatchObject({
    version,
    plan: "enterprise",
    route: "other",
    retryAfterSeconds: null,
  });
  const own = { version, mode: "enforce", lane: "live", revision: 0, retryAfterSeconds: 1 };
  expect(await hit("_flood", "ip:192.0.2.1")).toMatchObject(own);
  const flood = await rowsOf("_flood");
  expect(sum(flood, "rejections")).toBeGreaterThan(0);
  expect(sum(flood, "requests")).toBeGreaterThan(sum(flood, "rejections"));
  const metrics = await metricsNow();
  const value = (text: string, series: string) =>
    Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${series} `))
        ?.split(" ")[1] ?? 0,
    );
  const rejections = 'headgate_rejections_total{rule="_deny",mode="enforce"}';
  expect(value(metrics, rejections) - value(before, rejections)).toBe(7);
  expect(value(metrics, 'headgate_requests_total{verdict="denied"}')).toBeGreaterThanOrEqual(7);
  expect(value(metrics, "headgate_allow_listed_total")).toBeGreaterThan(0);
});

test("lists hold without Redis, and without asking it", async () => {
  await publish({
    allow: list("203.0.113.9"),
    deny: list("customer:bolt"),
    flood: [{ value: "192.0.2.0/24", perSecond: 3 }],
  });
  const checks = async () =>
    /headgate_checks_total (\d+)/.exec(
      await (await fetch(`${gateway.adminUrl}/metrics`)).text(),
    )?.[1];
  const asked = await checks();
  server.kill("SIGKILL");
  await waitFor(() => redis.status !== "ready");
  expect(await statuses(5, {})).toEqual(Array(5).fill(200));
  expect(await statuses(5, { ...THREE, ip: "203.0.113.10" })).toEqual(Array(5).fill(403));
  expect(await checks()).toBe(asked);
  const flooded = await Promise.all(Array.from({ length: 30 }, () => send({ ip: "192.0.2.7" })));
  const rules = await Promise.all(
    flooded.filter(({ status }) => status === 429).map((answer) => answer.json()),
  );
  expect(rules.filter(({ rule }) => rule === "_flood").length).toBeGreaterThan(15);
});
