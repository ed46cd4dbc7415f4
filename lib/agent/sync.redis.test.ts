import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../../scripts/ports.mjs";
import { deriveKeys } from "../core/secrets";
import { bodyHash, encodeSnapshot } from "../core/snapshot";
import { controlKeys } from "../redis/control-keys";
import { appendDirectoryDelta } from "../redis/directory";
import { putSnapshot } from "../redis/snapshot";
import { putDirectoryBase } from "../testing/directory";
import {
  directoryOf,
  echoUpstream,
  publishDirectory,
  publishRules,
  randomEnvironment,
  snapshotOf,
  startGateway,
  stubConsole,
  TEST_EPOCH,
  TEST_SECRETS,
  type TestGateway,
  temporaryFolder,
} from "../testing/gateway";
import { startRedis, type TestRedis } from "../testing/redis";
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { sharedRedisUrl } from "../testing/services";
import { waitFor } from "../testing/wait-for";
import { bootFolder } from "./boot-folder";

/** A poll and its jitter, and then some for a busy machine. */
const WITHIN_A_POLL = { timeoutMs: 6_000 };

const KEYS = { "hg-key-one": { id: "k1", customer: "acme", plan: "free" } };
const body = bodyOf([tokenBucketRule({ limit: { default: { rate: 2, per: "1h", burst: 2 } } })]);
const closing: (() => Promise<unknown> | unknown)[] = [];
let environment: string;
let redis: Redis;

beforeEach(() => {
  environment = randomEnvironment();
  redis = new Redis(sharedRedisUrl());
  closing.push(() => redis.disconnect());
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(input: Partial<Parameters<typeof startGateway>[0]> = {}) {
  const upstream = await echoUpstream();
  closing.push(upstream.close);
  let { dataDir } = input;
  if (dataDir === undefined) {
    const folder = await temporaryFolder();
    closing.push(folder.remove);
    dataDir = folder.path;
  }
  const gateway = await startGateway({
    environment,
    redisUrl: sharedRedisUrl(),
    upstream: upstream.url,
    ...input,
    dataDir,
  });
  closing.push(() => gateway.close());
  const applied = () => gateway.status().rules.applied;
  return { gateway, applied, dataDir };
}

/** Some while from now the gateway has compared its version once more. */
async function comparedAgain(gateway: TestGateway): Promise<void> {
  const sinceMs = performance.now();
  await waitFor(() => {
    const { checkedAgoMs } = gateway.status().rules;
    return checkedAgoMs !== null && performance.now() - checkedAgoMs > sinceMs + 100;
  }, WITHIN_A_POLL);
}

async function ownRedis(port?: number): Promise<TestRedis> {
  const server = await startRedis(port === undefined ? {} : { port });
  closing.push(() => server.stop().catch(() => {}));
  return server;
}

function client(url: string): Redis {
  const own = new Redis(url, { retryStrategy: () => 50 });
  own.on("error", () => {});
  closing.push(() => own.disconnect());
  return own;
}

describe("rules", () => {
  test("a notice brings a version at once", async () => {
    const { applied } = await start();
    await publishRules(redis, { environment, version: 1, body });
    await waitFor(() => applied()?.version === 1);
    await publishRules(redis, { environment, version: 2, body });
    await waitFor(() => applied()?.version === 2, { timeoutMs: 1_000 });
    expect(applied()?.source).toBe("push");
  });

  test("a version whose notice was lost is here within a poll", async () => {
    await publishRules(redis, { environment, version: 1, body });
    const { gateway, applied } = await start();
    await waitFor(() => applied()?.version === 1);
    // The looks of the start are over.
    await waitFor(() => (gateway.status().rules.checkedAgoMs ?? 0) > 300);
    await publishRules(redis, { environment, version: 2, body }, false);
    await waitFor(() => applied()?.version === 2, WITHIN_A_POLL);
    expect(applied()?.source).toBe("poll");
  });

  test("a subscription that is cut while a version is published compares when it is back", async () => {
    await publishRules(redis, { environment, version: 1, body });
    const { applied } = await start({ id: "cut" });
    await waitFor(() => applied()?.version === 1);
    const clients = String(await redis.client("LIST"));
    const line = clients.split("\n").find((one) => one.includes("headgate-subscriber-cut"));
    await redis.client("KILL", "ID", Number(/id=(\d+)/.exec(line ?? "")?.[1]));
    await publishRules(redis, { environment, version: 2, body });
    await waitFor(() => applied()?.version === 2, WITHIN_A_POLL);
  });

  test("an older version never replaces a newer one", async () => {
    await publishRules(redis, { environment, version: 7, body });
    const { gateway, applied } = await start();
    await waitFor(() => applied()?.version === 7);
    const older = snapshotOf({ environment, version: 3, body });
    const keys = controlKeys(environment);
    await redis.del(keys.snapshot);
    await putSnapshot(redis, keys, older.head, older.document);
    await redis.publish(keys.notices, JSON.stringify({ kind: "version", ...older.head }));
    await comparedAgain(gateway);
    expect(applied()?.version).toBe(7);
  });

  test("a higher epoch is newer, whatever its number", async () => {
    await publishRules(redis, { environment, version: 9, body });
    const { applied } = await start();
    await waitFor(() => applied()?.version === 9);
    await publishRules(redis, { environment, version: 1, epoch: TEST_EPOCH + 1, body });
    await waitFor(() => applied()?.epoch === TEST_EPOCH + 1);
  });

  test("keys of a newer build are ignored under meta, kept in the boot file, and refused elsewhere", async () => {
    const [key] = deriveKeys(TEST_SECRETS, "snapshot");
    const keys = controlKeys(environment);
    const put = async (version: number, given: object) => {
      const bytes = new TextEncoder().encode(JSON.stringify(given));
      const own = { environment, epoch: TEST_EPOCH, version, requires: [], body: bytes };
      const [line = "", text = ""] = Buffer.from(encodeSnapshot(own, key)).toString().split("\n");
      const envelope = JSON.stringify({ ...JSON.parse(line), meta: { console: "9.9" } });
      const head = { epoch: TEST_EPOCH, version, hash: bodyHash(bytes) };
      await putSnapshot(redis, keys, head, Buffer.from(`${envelope}\n${text}`));
      await redis.publish(keys.notices, JSON.stringify({ kind: "version", ...head }));
    };
    const { dataDir, applied, gateway } = await start();
    const noted = structuredClone(body);
    for (const { live } of noted.rules)
      if (live) Object.assign(live.rule, { meta: { ticket: { nested: [1, null] } } });
    await put(1, { ...noted, meta: { colour: "blue", of: { a: "newer build" } } });
    await waitFor(() => applied()?.version === 1);
    expect(gateway.status().rules.refused).toBeNull();
    await put(2, { ...noted, colour: "blue" });
    await waitFor(() => gateway.status().rules.refused?.version === 2);
    expect(gateway.status().rules.refused?.reason).toContain("colour");
    expect(applied()?.version).toBe(1);
    await gateway.close();
    const again = await start({ dataDir, redisUrl: "redis://127.0.0.1:1" });
    expect(again.applied()).toMatchObject({ version: 1, source: "file" });
  });

  describe("a snapshot that must not be taken leaves the old rules, and says why", () => {
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const [key] = deriveKeys(TEST_SECRETS, "snapshot");
    const [wrongKey] = deriveKeys(["another-root-secret"], "snapshot");
    const ours = { epoch: TEST_EPOCH, version: 2, requires: [] as string[], body: bytes };
    const documents = {
      "another environment": () => encodeSnapshot({ ...ours, environment: "production" }, key),
      "an unknown signer": () => encodeSnapshot({ ...ours, environment }, wrongKey),
      "a forged signature": () =>
        encodeSnapshot({ ...ours, environment }, { ...wrongKey, keyId: key.keyId }),
      "a feature of a newer build": () =>
        encodeSnapshot({ ...ours, environment, requires: ["rate/of-a-newer-build"] }, key),
      "no body": () => encodeSnapshot({ ...ours, environment, body: new Uint8Array() }, key),
      nothing: () => new Uint8Array(),
      "a cut document": () => encodeSnapshot({ ...ours, environment }, key).slice(0, 400),
    };
    test.each(Object.keys(documents) as (keyof typeof documents)[])("%s", async (name) => {
      await publishRules(redis, { environment, version: 1, body });
      const { gateway, applied } = await start();
      await waitFor(() => applied()?.version === 1);
      const keys = controlKeys(environment);
      const head = { epoch: TEST_EPOCH, version: 2, hash: "f".repeat(64) };
      await putSnapshot(redis, keys, head, documents[name]());
      await redis.publish(keys.notices, JSON.stringify({ kind: "version", ...head }));
      await waitFor(() => gateway.status().rules.refused !== null);
      expect(applied()?.version).toBe(1);
      expect(gateway.status().rules.refused).toMatchObject({ version: 2 });
      const heartbeats = await redis.xrevrange(keys.heartbeats, "+", "-", "COUNT", 1);
      expect(JSON.parse(heartbeats[0]?.[1][1] ?? "{}").refused.reason).toBe(
        gateway.status().rules.refused?.reason,
      );
      // What is good again is taken, and the refusal is over.
      await publishRules(redis, { environment, version: 3, body });
      await waitFor(() => applied()?.version === 3);
      expect(gateway.status().rules.refused).toBeNull();
    });

    test("it is not read again and again", async () => {
      await publishRules(redis, { environment, version: 1, body });
      const { gateway, applied } = await start();
      await waitFor(() => applied()?.version === 1);
      const keys = controlKeys(environment);
      const head = { epoch: TEST_EPOCH, version: 2, hash: "f".repeat(64) };
      await putSnapshot(redis, keys, head, documents["a forged signature"]());
      await redis.publish(keys.notices, JSON.stringify({ kind: "version", ...head }));
      await waitFor(() => gateway.status().rules.refused !== null);
      // Were it read again, this one would be taken.
      const good = encodeSnapshot({ ...ours, environment }, key);
      await redis.hset(keys.snapshot, "document", Buffer.from(good));
      await redis.publish(keys.notices, JSON.stringify({ kind: "version", ...head }));
      await comparedAgain(gateway);
      expect(applied()?.version).toBe(1);
    });
  });

  test("without Redis they come from the console, and are asked for by ETag", async () => {
    const console = await stubConsole();
    closing.push(console.close);
    console.snapshot = snapshotOf({ environment, version: 4, body }).document;
    console.directory = directoryOf(environment, KEYS);
    const { gateway, applied } = await start({
      redisUrl: "redis://127.0.0.1:1",
      controlUrl: console.url,
    });
    await waitFor(() => applied()?.version === 4, WITHIN_A_POLL);
    expect(applied()?.source).toBe("http");
    await waitFor(() => gateway.status().directory.complete);
    expect((await fetch(`${gateway.adminUrl}/ready`)).status).toBe(200);
    const { snapshotRequests } = console;
    await waitFor(() => console.snapshotRequests > snapshotRequests, WITHIN_A_POLL);
    expect(gateway.status().rules.error).toBeNull();
    console.snapshot = snapshotOf({ environment, version: 5, body }).document;
    await waitFor(() => applied()?.version === 5, WITHIN_A_POLL);
  });

  test("Redis that restarts empty takes nothing away, and what is put there again is found", async () => {
    const server = await ownRedis();
    const first = client(server.url);
    await publishRules(first, { environment, version: 1, body });
    await publishDirectory(first, directoryOf(environment, KEYS));
    const { gateway, applied } = await start({ redisUrl: server.url });
    await waitFor(() => applied()?.version === 1 && gateway.status().directory.complete);
    await server.stop();
    const again = await ownRedis(server.port);
    const second = client(again.url);
    await waitFor(() => gateway.status().rules.error?.includes("holds no snapshot"), WITHIN_A_POLL);
    expect(applied()?.version).toBe(1);
    await publishRules(second, { environment, version: 2, body });
    await waitFor(() => applied()?.version === 2, WITHIN_A_POLL);
  });
});

describe("the directory", () => {
  const key = (id: string, seq: number, plan = "paid") => ({
    epoch: TEST_EPOCH,
    seq,
    entries: [{ type: "customer" as const, id, plan }],
  });

  test("a gateway without it is not ready, and says so; with it, it is", async () => {
    await publishRules(redis, { environment, version: 1, body });
    const { gateway, applied } = await start();
    await waitFor(() => applied()?.version === 1);
    const notReady = await fetch(`${gateway.adminUrl}/ready`);
    expect(notReady.status).toBe(503);
    expect((await notReady.json()).reasons[0]).toContain("no directory yet");
    await publishDirectory(redis, directoryOf(environment, KEYS));
    await waitFor(async () => (await fetch(`${gateway.adminUrl}/ready`)).status === 200);
  });

  test("a delta is followed within a second, a lost one within a poll", async () => {
    const keys = controlKeys(environment);
    await putDirectoryBase(redis, keys, directoryOf(environment, KEYS));
    const { gateway } = await start();
    const seq = () => gateway.status().directory.position?.seq;
    await waitFor(() => seq() === 1);
    await appendDirectoryDelta(redis, keys, key("bolt", 2));
    const notice = { kind: "directory", epoch: TEST_EPOCH, seq: 2 };
    await redis.publish(keys.notices, JSON.stringify(notice));
    await waitFor(() => seq() === 2, { timeoutMs: 1_000 });
    await appendDirectoryDelta(redis, keys, key("crow", 3));
    await waitFor(() => seq() === 3, WITHIN_A_POLL);
    expect(gateway.status().directory.size).toEqual({ keys: 1, customers: 3, overrides: 0 });
  });

  test("after a gap the base is loaded", async () => {
    const keys = controlKeys(environment);
    await putDirectoryBase(redis, keys, directoryOf(environment, KEYS));
    const { gateway } = await start();
    const seq = () => gateway.status().directory.position?.seq;
    await waitFor(() => seq() === 1);
    await appendDirectoryDelta(redis, keys, key("late", 5));
    await putDirectoryBase(redis, keys, directoryOf(environment, KEYS, key("x", 4).entries, 4));
    await waitFor(() => seq() === 5, WITHIN_A_POLL);
    expect(gateway.status().directory.size.customers).toBe(3);
  });
});

describe("restart", () => {
  test("a boot file that is damaged does not keep the same version in Redis from being taken", async () => {
    const { head, document } = snapshotOf({ environment, version: 3, body });
    await putSnapshot(redis, controlKeys(environment), head, document);
    const { path, remove } = await temporaryFolder();
    closing.push(remove);
    await bootFolder({ dataDir: path, gatewayId: "gateway-a" }).write(
      "snapshot",
      document.slice(0, -5),
    );
    const { applied } = await start({ dataDir: path });
    await waitFor(() => applied()?.version === 3, WITHIN_A_POLL);
    expect(applied()?.source).not.toBe("file");
  });

  test("rules that came from its file are followed by notices, once there is a Redis", async () => {
    const { document } = snapshotOf({ environment, version: 1, body });
    const { path, remove } = await temporaryFolder();
    closing.push(remove);
    const folder = bootFolder({ dataDir: path, gatewayId: "gateway-a" });
    await folder.write("snapshot", document);
    const port = await freePort();
    const { applied } = await start({ dataDir: path, redisUrl: `redis://127.0.0.1:${port}` });
    expect(applied()).toMatchObject({ version: 1, source: "file" });
    const own = client((await ownRedis(port)).url);
    const keys = controlKeys(environment);
    const listeners = async () => Number((await own.pubsub("NUMSUB", keys.notices))[1]);
    await waitFor(async () => (await listeners()) === 1, WITHIN_A_POLL);
    await publishRules(own, { environment, version: 2, body });
    await waitFor(() => applied()?.version === 2, { timeoutMs: 1_000 });
    expect(applied()?.source).toBe("push");
  });

  test("from its files alone, with Redis and console down, it knows its clients and limits", async () => {
    const server = await ownRedis();
    const own = client(server.url);
    const keys = controlKeys(environment);
    await own.set(keys.fleet, JSON.stringify({ live: 1, silent: 1 }));
    await publishRules(own, { environment, version: 3, body });
    await publishDirectory(own, directoryOf(environment, KEYS));
    const first = await start({ redisUrl: server.url });
    await waitFor(() => first.applied()?.version === 3);
    await waitFor(() => first.gateway.status().directory.complete);
    await appendDirectoryDelta(own, keys, {
      epoch: TEST_EPOCH,
      seq: 2,
      entries: [{ type: "customer", id: "acme", plan: "paid" }],
    });
    await waitFor(() => first.gateway.status().directory.position?.seq === 2, WITHIN_A_POLL);
    await waitFor(() => first.gateway.status().fleet.silent === 1, WITHIN_A_POLL);
    await first.gateway.close();
    await server.stop();

    const second = await start({
      redisUrl: server.url,
      dataDir: first.dataDir,
      checkDeadlineMs: 10,
    });
    expect((await fetch(`${second.gateway.adminUrl}/ready`)).status).toBe(200);
    expect(second.applied()).toMatchObject({ version: 3, source: "file" });
    expect(second.gateway.status().directory.position?.seq).toBe(2);
    const statuses: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      const answer = await fetch(second.gateway.url, { headers: { "x-api-key": "hg-key-one" } });
      statuses.push(answer.status);
    }
    // 2 an hour over two gateways: one each.
    expect(statuses).toEqual([200, 429, 429]);
    expect(second.gateway.status().mode).toBe("local");
  });
});
