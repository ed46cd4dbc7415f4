import type { IncomingMessage } from "node:http";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
import { sendRaw } from "../testing/raw-http";
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { sharedRedisUrl } from "../testing/services";
import { waitFor } from "../testing/wait-for";
import type { IdentifyClient } from "./identifier";

const environment = randomEnvironment();
const K1 = "hg_live_key_one";
const TIMEOUT_MS = 150;
let redis: Redis;
let upstream: Listening;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateway: TestGateway;
/** What the embedder's function does in a test. */
let answer: (request: IncomingMessage) => unknown;

beforeAll(async () => {
  redis = new Redis(sharedRedisUrl());
  [upstream, folder] = await Promise.all([echoUpstream(), temporaryFolder()]);
  await publishDirectory(
    redis,
    directoryOf(environment, { [K1]: { id: "k1", customer: "acme", plan: "paid" } }),
  );
  const plenty = { rate: 100_000, per: "1h", burst: 100_000 };
  const limits = { free: 10, paid: 20, enterprise: 30 };
  const rules = [
    tokenBucketRule({
      id: "by-client",
      countBy: ["client"],
      limit: {
        perPlan: Object.fromEntries(
          Object.entries(limits).map(([plan, burst]) => [plan, { ...plenty, burst }]),
        ),
        default: plenty,
        anonymous: { ...plenty, burst: 5 },
      },
    }),
    tokenBucketRule({ id: "owners", countBy: ["customer"], limit: { default: plenty } }),
  ];
  const settings = SettingsSchema.parse({ identity: { trustedHeader: "x-consumer" } });
  await publishRules(redis, { environment, version: 1, body: bodyOf(rules, { settings }) });
  gateway = await startGateway({
    environment,
    redisUrl: sharedRedisUrl(),
    upstream: upstream.url,
    dataDir: folder.path,
    trustProxy: { kind: "none" },
    // What an embedder without types may do.
    identify: ((request) => answer(request)) as IdentifyClient,
    identifyTimeoutMs: TIMEOUT_MS,
  });
  await waitFor(
    () => gateway.status().rules.applied !== null && gateway.status().directory.complete,
  );
});

afterAll(async () => {
  await gateway.close();
  await Promise.all([upstream.close(), folder.remove()]);
  redis.disconnect();
});

/** The buckets of one request, without their braces, and the burst that its plan gave it. */
async function countedAs(does: typeof answer, lines: readonly string[] = []) {
  answer = does;
  const held = await redis.keys(`hg:${environment}:1:*`);
  if (held.length > 0) await redis.del(held);
  const { status, head } = await sendRaw(gateway.port, lines);
  const keys = await redis.keys(`hg:${environment}:1:*`);
  const buckets = keys.map((key) => /\{(.*)\}/.exec(key)?.[1] ?? key).sort();
  const burst = Number(/X-RateLimit-Limit: (\d+)/.exec(head)?.[1]);
  return { status, buckets, burst };
}

async function failures() {
  const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
  const found = text.matchAll(/^headgate_identify_failures_total\{reason="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, reason, count]) => [reason, Number(count)]));
}

const byAddress = { status: 200, buckets: ["ip:127.0.0.1"], burst: 5 };

describe("an embedder's function names the client, at once or later", () => {
  test.each([
    [
      "a key of the directory: its customer and plan",
      { client: "key:k1" },
      ["customer:acme", "key:k1"],
      20,
    ],
    ["a customer of the directory", { client: "customer:acme" }, ["customer:acme"], 20],
    [
      "with a plan of its own",
      { client: "key:k1", plan: "enterprise" },
      ["customer:acme", "key:k1"],
      30,
    ],
    [
      "with a customer of its own",
      { client: "key:k9", customer: "acme" },
      ["customer:acme", "key:k9"],
      20,
    ],
    [
      "whom the directory does not know",
      { client: "key:user-7" },
      ["customer:user-7", "key:user-7"],
      10,
    ],
    [
      "with a plan that nobody has",
      { client: "key:k1", plan: "gold" },
      ["customer:acme", "key:k1"],
      100_000,
    ],
  ])("%s", async (_name, claim, buckets, burst) => {
    const expected = { status: 200, buckets, burst };
    expect(await countedAs(() => claim)).toEqual(expected);
    expect(await countedAs(() => Promise.resolve(claim))).toEqual(expected);
  });

  test("beats a key in the headers", async () => {
    const found = await countedAs(() => ({ client: "key:user-7" }), [`X-Api-Key: ${K1}`]);
    expect(found.buckets).toEqual(["customer:user-7", "key:user-7"]);
  });

  test("sees the request without what is not to be believed", async () => {
    const seen: unknown[] = [];
    const lines = ["X-Consumer: acme", "Connection: close, X-Secret", "X-Secret: 1", "X-Own: 2"];
    await countedAs(({ url, headers }) => {
      seen.push(url, headers["x-consumer"], headers["x-secret"], headers["x-own"]);
      return null;
    }, lines);
    expect(seen).toEqual(["/v1/messages", undefined, undefined, "2"]);
  });

  test.each([
    ["null", null],
    ["undefined", undefined],
  ])("%s leaves it to headers and address", async (_name, nothing) => {
    const before = await failures();
    expect(await countedAs(() => nothing)).toEqual(byAddress);
    expect(await countedAs(() => Promise.resolve(nothing))).toEqual(byAddress);
    const known = await countedAs(() => nothing, [`X-Api-Key: ${K1}`]);
    expect(known.buckets).toEqual(["customer:acme", "key:k1"]);
    expect(await failures()).toEqual(before);
  });
});

describe("where it fails, headers and address name the client, and it is counted", () => {
  const broken = new Error("the session store is down");

  test.each<[string, string, () => unknown]>([
    [
      "throws",
      "error",
      () => {
        throw broken;
      },
    ],
    ["rejects", "error", () => Promise.reject(broken)],
    ["rejects with nothing", "error", () => Promise.reject()],
    ["never answers", "timeout", () => new Promise(() => {})],
    ["answers with text", "invalid", () => "key:k1"],
    ["answers with an address", "invalid", () => ({ client: "ip:203.0.113.7" })],
    ["answers with no id", "invalid", () => ({ client: "Key One" })],
    [
      "answers with no plan id",
      "invalid",
      () => Promise.resolve({ client: "key:k1", plan: "Two words" }),
    ],
    ["answers with a list", "invalid", () => [{ client: "key:k1" }]],
  ])("%s", async (_name, reason, does) => {
    const before = await failures();
    expect(await countedAs(does)).toEqual(byAddress);
    const known = await countedAs(does, [`X-Api-Key: ${K1}`]);
    expect(known.buckets).toEqual(["customer:acme", "key:k1"]);
    expect(await failures()).toEqual({ ...before, [reason]: (before[reason] ?? 0) + 2 });
  });

  test("an answer after the time is not waited for, and a late failure ends no process", async () => {
    let reject: (error: Error) => void = () => {};
    const late = new Promise((_resolve, no) => {
      reject = no;
    });
    expect(await countedAs(() => late)).toEqual(byAddress);
    reject(broken);
    expect(await countedAs(() => null)).toEqual(byAddress);
  });
});
