import { Redis } from "ioredis";
import { afterEach, expect, test } from "vitest";
import { openLimiter } from "@/lib/agent/open-limiter";
import { SystemClock } from "@/lib/clock";
import { parseRedisUrl } from "@/lib/config/redis-url";
import { tokenBucket } from "@/lib/core/bucket";
import { viewBucket } from "@/lib/core/client-buckets";
import { slotOf } from "@/lib/core/cluster-slot";
import { bucketKey } from "@/lib/core/state-key";
import type { LimiterRule } from "@/lib/limiter/state-key";
import { createLog } from "@/lib/log";
import { failureOf } from "@/lib/testing/failure";
import { startRedis } from "@/lib/testing/redis";
import { startRedisCluster } from "@/lib/testing/redis-cluster";
import { waitFor } from "@/lib/testing/wait-for";
import { connectCounters, type StateRedis } from "./counters";

const log = createLog({ name: "test", level: "silent" });
const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const PRINCIPALS = Array.from({ length: 12 }, (_, i) => `key:k${i}`);
const LIMIT = tokenBucket({ rate: 1, per: "1h", burst: 10 });

function addressOf(url: string) {
  const node = parseRedisUrl(url);
  if ("wrong" in node) throw new Error(node.wrong);
  return node;
}

function rule(principal: string, slot: number): LimiterRule {
  const key = bucketKey("test", { principal, slot, rest: [] });
  const common = { cost: 1, failMode: "local", role: "enforced" } as const;
  return { ruleId: `rule-${slot}`, key, slot, limit: LIMIT, ...common };
}

function open(state: StateRedis) {
  const limiter = openLimiter({
    id: "test",
    environment: "test",
    redis: { state },
    deadlineMs: 500,
    agent: { fleetSize: () => 1, setMode: () => {} },
    clock: new SystemClock(),
    log,
  });
  const counters = connectCounters({ state, name: "test", log });
  cleanups.push(limiter.close, counters.close);
  return { limiter, counters };
}

type Opened = ReturnType<typeof open>;

async function spend({ limiter }: Opened): Promise<void> {
  for (const principal of PRINCIPALS) {
    const rules = [rule(principal, 1), rule(principal, 2)];
    await waitFor(async () => (await limiter.check(rules)).source === "redis");
  }
}

async function remaining({ counters }: Opened, principal: string): Promise<number[]> {
  const { key } = rule(principal, 1);
  const [found] = await counters.read([{ key, inFlight: false }]);
  if (found === undefined) throw new Error("one key, one value");
  return [1, 2].map((slot) => viewBucket({ limit: LIMIT, slot }, found, found.nowUs).remaining);
}

/** What gateways wrote is read at the same place; a reset takes one rule's record and leaves the other's. */
async function expectSame(opened: Opened): Promise<void> {
  await spend(opened);
  for (const principal of PRINCIPALS) {
    expect(await remaining(opened, principal)).toEqual([9, 9]);
    expect(await opened.counters.takeOut(rule(principal, 1).key, [1])).toBe(1);
    expect(await remaining(opened, principal)).toEqual([10, 9]);
  }
}

test("of a ring, each client is read and reset on the server that gateways use for it", async () => {
  const servers = await Promise.all([startRedis(), startRedis()]);
  cleanups.push(...servers.map((server) => () => server.stop()));
  const nodes = servers.map(({ url }, i) => ({ ...addressOf(url), name: `redis-${i}` }));
  const opened = open({ kind: "ring", nodes });
  await expectSame(opened);
  const held = await Promise.all(
    servers.map(async ({ url }) => {
      const redis = new Redis(url);
      const size = await redis.dbsize();
      redis.disconnect();
      return size;
    }),
  );
  expect(Math.min(...held)).toBeGreaterThan(0);
});

test("of a cluster, too, also when a slot has moved since the map was read", async () => {
  const cluster = await startRedisCluster();
  cleanups.push(() => cluster.stop());
  const address = { host: "127.0.0.1", database: 0, tls: false };
  const port = cluster.primaries[0]?.port ?? 0;
  const opened = open({ kind: "cluster", nodes: [{ ...address, port }] });
  await expectSame(opened);
  const { key } = rule(PRINCIPALS[0] ?? "", 1);
  const owner = await cluster.ownerOf(slotOf(key));
  const other = cluster.primaries.find((node) => node !== owner);
  if (other === undefined) throw new Error("a cluster has several primaries");
  await cluster.moveSlot(slotOf(key), other);
  expect(await remaining(opened, PRINCIPALS[0] ?? "")).toEqual([10, 9]);
  expect(await opened.counters.takeOut(key, [2])).toBe(1);
});

test("what is left keeps its time to live, and what is empty is gone", async () => {
  const server = await startRedis();
  cleanups.push(() => server.stop());
  const redis = new Redis(server.url);
  cleanups.push(() => redis.disconnect());
  const opened = open({ kind: "single", node: addressOf(server.url) });
  await spend(opened);
  const { key } = rule(PRINCIPALS[0] ?? "", 1);
  const before = await redis.pttl(key);
  await opened.counters.takeOut(key, [1]);
  const after = await redis.pttl(key);
  expect(after).toBeGreaterThan(0);
  expect(after).toBeLessThanOrEqual(before);
  await opened.counters.takeOut(key, [2, 7]);
  expect(await redis.exists(key)).toBe(0);
});

test("a server that is away, or hangs, is told within seconds and never as an empty value", async () => {
  const server = await startRedis();
  cleanups.push(() => server.stop());
  const opened = open({ kind: "single", node: addressOf(server.url) });
  await spend(opened);
  const { key } = rule(PRINCIPALS[0] ?? "", 1);
  await server.stop();
  const error = await failureOf(opened.counters.read([{ key, inFlight: false }]), "unavailable");
  expect(error.message).toContain("does not answer");
});
