import { rmSync } from "node:fs";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { SystemClock } from "@/lib/clock";
import { parseRedisUrl, type RedisNode } from "@/lib/config/redis-url";
import { tokenBucket } from "@/lib/core/bucket";
import { bucketKey, type LimiterRule, stateKey } from "@/lib/limiter/state-key";
import { createLog } from "@/lib/log";
import { makeTestFolder } from "@/lib/testing/leftovers";
import { startRedis, type TestRedis } from "@/lib/testing/redis";
import { startRedisCluster } from "@/lib/testing/redis-cluster";
import { makeCertificates, type TestCertificates } from "@/lib/testing/redis-tls";
import { waitFor } from "@/lib/testing/wait-for";
import { freePort } from "../../scripts/ports.mjs";
import { openLimiter, type StateRedis } from "./open-limiter";

/** Generous, since the machine that runs the tests may be busy. */
const DEADLINE_MS = 200;
/** As docs/gateway.md lists them. */
const LEAST =
  "+eval +evalsha +hello +time +get +mget +set +del +expire +zadd +zrem +zcount +zrange +zremrangebyscore";
const ODD = "p@ss:w/rd#1?x=%25&é ,=";

const clock = new SystemClock();
const log = createLog({ name: "test", level: "silent" });
const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function nodeOf(url: string): RedisNode {
  const node = parseRedisUrl(url);
  if ("wrong" in node) throw new Error(node.wrong);
  return node;
}

function openOn(state: StateRedis, ca?: string) {
  const limiter = openLimiter({
    id: "test",
    environment: "test",
    redis: { state, ...(ca === undefined ? {} : { ca }) },
    deadlineMs: DEADLINE_MS,
    agent: { fleetSize: () => 1, setMode: () => {} },
    clock,
    log,
  });
  cleanups.push(() => limiter.close());
  return limiter;
}

let slots = 0;
function rule(principal = "key:one"): LimiterRule {
  slots += 1;
  return {
    ruleId: `rule-${slots}`,
    key: stateKey("test", principal),
    slot: slots,
    role: "enforced",
    limit: tokenBucket({ rate: 1, per: "1h", burst: 10 }),
    cost: 1,
    failMode: "local",
  };
}

/** Both that it is used and that a check is written. */
async function expectDecides(limiter: ReturnType<typeof openOn>): Promise<void> {
  await waitFor(() => limiter.status().clockOffsetMs !== null, { what: "the first probe" });
  const one = rule();
  for (const remaining of [9, 8])
    expect(await limiter.check([one])).toMatchObject({ source: "redis", binding: { remaining } });
}

describe("who may come in", () => {
  let server: TestRedis;
  let admin: Redis;
  beforeAll(async () => {
    server = await startRedis();
    admin = new Redis(server.url);
    await admin.call(
      "ACL",
      "SETUSER",
      "gate",
      "on",
      `>${ODD}`,
      "~hg:*",
      "+@all",
      "-@admin",
      "-info",
    );
    await admin.call("ACL", "SETUSER", "least", "on", ">least-of-all", "~hg:*");
    await admin.call("ACL", "SETUSER", "least", ...LEAST.split(" "));
    await admin.config("SET", "requirepass", ODD);
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  test.each([
    ["the default user's password, escaped", () => `redis://:${encodeURIComponent(ODD)}@127.0.0.1`],
    [
      "the same, as it is (a literal %25 alone must be escaped)",
      () => `redis://:${ODD.replace("%", "%25")}@127.0.0.1`,
    ],
    [
      "a user that may neither CONFIG nor INFO",
      () => `redis://gate:${encodeURIComponent(ODD)}@127.0.0.1`,
    ],
    ["a user that may only what the script does", () => "redis://least:least-of-all@127.0.0.1"],
  ])("%s", async (_, url) => {
    const warned = vi.spyOn(console, "warn");
    await expectDecides(openOn({ kind: "single", node: nodeOf(`${url()}:${server.port}`) }));
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  test("requests in flight are counted and ended by a user that may only what the scripts do", async () => {
    const node = nodeOf(`redis://least:least-of-all@127.0.0.1:${server.port}`);
    const limiter = openOn({ kind: "single", node });
    await waitFor(() => limiter.status().clockOffsetMs !== null, { what: "the first probe" });
    const inFlight: LimiterRule = {
      ...rule(),
      key: bucketKey("test", { principal: "key:one", slot: 999, rest: [], isAlone: true }),
      limit: { algorithm: "concurrency", quota: 1, leaseSeconds: 30 },
    };
    const first = await limiter.check([inFlight]);
    expect(first).toMatchObject({ source: "redis", verdict: "allowed" });
    expect(await limiter.check([inFlight])).toMatchObject({ source: "redis", verdict: "refused" });
    first.flight?.end();
    await waitFor(async () => (await limiter.check([inFlight])).verdict === "allowed");
  });

  test("a wrong password is local, and the reason says so without the password", async () => {
    const url = `redis://gate:hunter2@127.0.0.1:${server.port}`;
    const limiter = openOn({ kind: "single", node: nodeOf(url) });
    expect(await limiter.check([rule()])).toMatchObject({ source: "local" });
    await waitFor(() => limiter.status().mode === "local");
    expect(JSON.stringify(limiter.status())).not.toContain("hunter2");
  });
});

describe("over TLS", () => {
  let certificates: TestCertificates;
  let named: TestCertificates;
  const folders = [makeTestFolder("tls"), makeTestFolder("tls")] as const;
  beforeAll(() => {
    certificates = makeCertificates(folders[0], "DNS:localhost,IP:127.0.0.1");
    named = makeCertificates(folders[1], "DNS:localhost");
  });
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  async function startTls(): Promise<number> {
    const port = await freePort();
    const server = await startRedis({ config: certificates.config(port) });
    cleanups.push(() => server.stop());
    return port;
  }

  test.each(["localhost", "127.0.0.1"])(
    "rediss://%s with an authority of one's own",
    async (host) => {
      const port = await startTls();
      const node = nodeOf(`rediss://${host}:${port}`);
      const warnings = vi.fn();
      process.on("warning", warnings);
      await expectDecides(openOn({ kind: "single", node }, certificates.ca));
      process.off("warning", warnings);
      expect(warnings).not.toHaveBeenCalled();
    },
  );

  test("without that authority the server is not believed", async () => {
    const node = nodeOf(`rediss://localhost:${await startTls()}`);
    const limiter = openOn({ kind: "single", node });
    await waitFor(() => limiter.status().mode === "local");
    expect(await limiter.check([rule()])).toMatchObject({ source: "local" });
  });

  test("a cluster whose nodes are named by IP, with the certificate of the name that was configured", async () => {
    const cluster = await startRedisCluster({
      config: (port) => [...named.config(port), "tls-cluster yes", "tls-replication yes"],
      ca: named.ca,
    });
    cleanups.push(() => cluster.stop());
    const node = nodeOf(`rediss://localhost:${cluster.primaries[0]?.port}`);
    const limiter = openOn({ kind: "cluster", nodes: [node] }, named.ca);
    await waitFor(
      () => limiter.status().shards.filter(({ name }) => name !== "cluster").length === 3,
    );
    for (const principal of ["key:a", "key:b", "key:c", "key:d", "key:e", "key:f"])
      expect(await limiter.check([rule(principal)])).toMatchObject({ source: "redis" });
    expect(limiter.counters.localDecisions).toBe(0);
  }, 60_000);
});

test("a cluster with a user that may neither CONFIG nor INFO", async () => {
  const cluster = await startRedisCluster({
    config: () => [`user gate on >odd/pass ~hg:* ${LEAST} +asking +cluster|slots`],
  });
  cleanups.push(() => cluster.stop());
  const node = nodeOf(`redis://gate:odd/pass@127.0.0.1:${cluster.primaries[0]?.port}`);
  const limiter = openOn({ kind: "cluster", nodes: [node] });
  await waitFor(
    () => limiter.status().shards.filter(({ name }) => name !== "cluster").length === 3,
  );
  for (const principal of ["key:a", "key:b", "key:c", "key:d", "key:e", "key:f"])
    expect(await limiter.check([rule(principal)])).toMatchObject({ source: "redis" });
}, 60_000);

test("REDIS_URL that names a cluster's node is local, and the reason says what to set", async () => {
  const cluster = await startRedisCluster();
  cleanups.push(() => cluster.stop());
  const urls = cluster.primaries.map(({ port }) => `redis://127.0.0.1:${port}`);
  const limiters = urls.map((url) => openOn({ kind: "single", node: nodeOf(url) }));
  // Of three nodes at most one owns the slot of the probes.
  await waitFor(() => limiters.filter((each) => each.status().mode === "local").length >= 2);
  for (const { error } of limiters.map((each) => each.status()))
    if (error !== null) expect(error).toMatch(/^MOVED .* set REDIS_CLUSTER\)$/);
}, 60_000);
