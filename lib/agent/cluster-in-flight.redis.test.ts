import { afterEach, expect, test } from "vitest";
import { SystemClock } from "@/lib/clock";
import { slotOf } from "@/lib/core/cluster-slot";
import { bucketKey, type LimiterRule } from "@/lib/limiter/state-key";
import { createLog } from "@/lib/log";
import { startRedisCluster, type TestCluster } from "@/lib/testing/redis-cluster";
import { waitFor } from "@/lib/testing/wait-for";
import { type OpenLimiter, openLimiter } from "./open-limiter";

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function rule(principal: string, slot: number, concurrent: number): LimiterRule {
  return {
    ruleId: `rule-${slot}`,
    key: bucketKey("test", { principal, slot, rest: [], isAlone: true }),
    slot,
    role: "enforced",
    limit: { algorithm: "concurrency", quota: concurrent, leaseSeconds: 30 },
    cost: 1,
    failMode: "local",
  };
}

async function open(): Promise<{ cluster: TestCluster; limiter: OpenLimiter }> {
  const cluster = await startRedisCluster();
  cleanups.push(() => cluster.stop());
  const [first] = cluster.primaries;
  const limiter = openLimiter({
    id: "test",
    environment: "test",
    redis: {
      state: {
        kind: "cluster",
        nodes: [{ host: "127.0.0.1", port: first?.port ?? 0, database: 0, tls: false }],
      },
    },
    deadlineMs: 500,
    agent: { fleetSize: () => 1, setMode: () => {} },
    clock: new SystemClock(),
    log: createLog({ name: "test", level: "silent" }),
  });
  cleanups.push(() => limiter.close());
  await waitFor(
    () => limiter.status().mode === "shared" && limiter.status().clockOffsetMs !== null,
    { what: "a limiter that knows the cluster" },
  );
  return { cluster, limiter };
}

async function held(cluster: TestCluster, key: string): Promise<number> {
  const { admin } = await cluster.ownerOf(slotOf(key));
  return admin.zcard(key);
}

test("of a request in flight on two slots of a cluster both are freed, and none is held for a refused one", async () => {
  const { cluster, limiter } = await open();
  const wide = rule("key:a", 1, 5);
  const narrow = rule("ip:198.51.100.1", 2, 1);
  const first = await limiter.check([wide, narrow]);
  expect(first.verdict).toBe("allowed");
  expect((await limiter.check([wide, narrow])).verdict).toBe("refused");
  await waitFor(async () => (await held(cluster, wide.key)) === 1, { what: "the refund" });
  expect(await held(cluster, narrow.key)).toBe(1);
  first.flight?.end();
  await waitFor(
    async () => (await held(cluster, wide.key)) + (await held(cluster, narrow.key)) === 0,
  );
});

test("a request that ends after its slot moved to another node is freed there", async () => {
  const { cluster, limiter } = await open();
  const one = rule("key:a", 1, 1);
  const { flight } = await limiter.check([one]);
  const from = await cluster.ownerOf(slotOf(one.key));
  const to = cluster.primaries.find(({ id }) => id !== from.id);
  if (to === undefined) throw new Error("a cluster has several primaries");
  await cluster.moveSlot(slotOf(one.key), to);
  expect(await held(cluster, one.key)).toBe(1);
  flight?.end();
  await waitFor(async () => (await held(cluster, one.key)) === 0, { what: "the freed slot" });
  expect((await limiter.check([one])).verdict).toBe("allowed");
  expect(limiter.inFlight).toBe(1);
});
