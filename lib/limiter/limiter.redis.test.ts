import { connect as connectTcp, createServer, type Socket } from "node:net";
import { Redis } from "ioredis";
import { afterEach, expect, test } from "vitest";
import { SystemClock } from "@/lib/clock";
import { tokenBucket } from "@/lib/core/bucket";
import { createLog } from "@/lib/log";
import { startRedis } from "@/lib/testing/redis";
import { waitFor } from "@/lib/testing/wait-for";
import { createLimiter, type LimiterStatus } from "./limiter";
import type { LimiterRule } from "./state-key";

/** Generous, since the machine that runs the tests may be busy. */
const DEADLINE_MS = 50;
/** What a check may take beyond its deadline on such a machine. */
const SLACK_MS = 100;

const clock = new SystemClock();
const log = createLog({ name: "test", level: "silent" });
const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function connect(port: number): Redis {
  const redis = new Redis({
    port,
    host: "127.0.0.1",
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 500,
    disconnectTimeout: 100,
    retryStrategy: () => 50,
  });
  redis.on("error", () => {});
  return redis;
}

async function openLimiter({ fleet = 1 }: { fleet?: number } = {}) {
  const server = await startRedis();
  const { limiter, changes, redis } = limiterOn(server.port, fleet);
  cleanups.push(() => server.stop());
  await waitFor(() => limiter.status().clockOffsetMs !== null, { what: "the first probe" });
  return { server, limiter, changes, redis };
}

function limiterOn(port: number, fleet = 1) {
  const redis = connect(port);
  const changes: LimiterStatus[] = [];
  const limiter = createLimiter({
    state: { kind: "single", redis },
    environment: "test",
    clock,
    log,
    deadlineMs: DEADLINE_MS,
    fleetSize: () => fleet,
    onModeChange: (status) => changes.push(status),
  });
  cleanups.push(() => {
    limiter.close();
    redis.disconnect();
  });
  return { limiter, changes, redis };
}

/** A way to a Redis that can be made longer, or lead nowhere. */
async function openPath() {
  const server = await startRedis();
  const path = { isMute: false, delayMs: 0 };
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    if (path.isMute) return;
    const upstream = connectTcp(server.port, "127.0.0.1");
    sockets.add(upstream);
    upstream.on("error", () => {});
    upstream.pipe(socket);
    socket.on("data", (chunk) => {
      if (path.delayMs === 0) upstream.write(chunk);
      else setTimeout(() => upstream.write(chunk), path.delayMs);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", () => resolve()));
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
    await server.stop();
  });
  const address = proxy.address();
  return { path, port: typeof address === "object" ? (address?.port ?? 0) : 0 };
}

let slots = 0;
function rule(burst: number, input: Partial<LimiterRule> = {}): LimiterRule {
  slots += 1;
  return {
    ruleId: `rule-${slots}`,
    key: "hg:test:1:{key:one}",
    slot: slots,
    role: "enforced",
    limit: tokenBucket({ rate: 1, per: "1h", burst }),
    cost: 1,
    failMode: "local",
    ...input,
  };
}

const isShared = (limiter: ReturnType<typeof limiterOn>["limiter"]) => () =>
  limiter.status().mode === "shared";

/** Blocks the event loop. */
function standStill(ms: number): void {
  const until = clock.monotonicMs() + ms;
  while (clock.monotonicMs() < until);
}

async function timed<T>(run: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const startMs = clock.monotonicMs();
  const value = await run();
  return { ms: clock.monotonicMs() - startMs, value };
}

test("Redis decides, and no rule is left unchecked", async () => {
  const { limiter, changes } = await openLimiter();
  const result = await limiter.check([rule(5)]);
  expect(result).toMatchObject({ verdict: "allowed", source: "redis", unchecked: [] });
  expect(limiter.status()).toMatchObject({ mode: "shared", error: null, breaker: "closed" });
  expect(changes).toEqual([]);
});

test("nothing to check asks nobody", async () => {
  const { limiter } = limiterOn(1);
  expect(await limiter.check([])).toMatchObject({ verdict: "allowed", binding: null });
  expect(limiter.counters.localDecisions).toBe(0);
});

test("a hung Redis costs a request the deadline, then nothing; woken, it charges nothing late and decides again", async () => {
  const { server, limiter, changes } = await openLimiter({ fleet: 4 });
  const thousand = rule(1000);
  expect((await limiter.check([thousand])).binding?.remaining).toBe(999);

  server.kill("SIGSTOP");
  const first = await timed(() =>
    Promise.all(Array.from({ length: 20 }, () => limiter.check([thousand]))),
  );
  expect(first.ms).toBeGreaterThanOrEqual(DEADLINE_MS - 1);
  expect(first.ms).toBeLessThan(DEADLINE_MS + SLACK_MS);
  expect(new Set(first.value.map(({ source }) => source))).toEqual(new Set(["local"]));
  expect(first.value[0]?.binding?.remaining).toBe(249);
  expect(changes.map(({ mode, error }) => [mode, error])).toEqual([
    ["local", `Redis did not answer within ${DEADLINE_MS} ms`],
  ]);
  expect(limiter.status().breaker).toBe("open");
  const open = await timed(async () => {
    for (let i = 0; i < 100; i += 1) await limiter.check([thousand]);
  });
  expect(open.ms).toBeLessThan(DEADLINE_MS);

  await waitFor(() => limiter.counters.connectionResets > 0, {
    what: "a reset of the dead socket",
  });
  server.kill("SIGCONT");
  await waitFor(isShared(limiter), { what: "mode shared" });
  expect(changes.map(({ mode }) => mode)).toEqual(["local", "shared"]);
  const after = await limiter.check([thousand]);
  expect(after).toMatchObject({ source: "redis", binding: { remaining: 998 } });
});

test("a short hang is ridden out on the same connection, and what ran late was not charged", async () => {
  const { server, limiter } = await openLimiter();
  const ten = rule(10);
  await limiter.check([ten]);
  server.kill("SIGSTOP");
  const results = await Promise.all([limiter.check([ten]), limiter.check([ten])]);
  expect(results.map(({ source }) => source)).toEqual(["local", "local"]);
  server.kill("SIGCONT");
  // On a busy machine a probe, too.
  await waitFor(() => limiter.counters.expired >= 2, { what: "two expired checks" });
  expect(limiter.counters.late).toBeGreaterThanOrEqual(2);
  expect(limiter.counters.connectionResets).toBe(0);
  await waitFor(isShared(limiter), { what: "mode shared" });
  expect((await limiter.check([ten])).binding?.remaining).toBe(8);
});

test("a crashed Redis is noticed without traffic, costs no deadline, and is used again when it is back", async () => {
  const { server, limiter, changes } = await openLimiter({ fleet: 2 });
  const ten = rule(10);
  await limiter.check([ten]);
  server.kill("SIGKILL");
  await waitFor(() => changes.length === 1, { what: "the change to local" });
  const { ms, value } = await timed(() => limiter.check([ten]));
  expect(ms).toBeLessThan(DEADLINE_MS);
  expect(value).toMatchObject({ source: "local", binding: { remaining: 4 } });
  expect(await limiter.check([ten])).toMatchObject({ binding: { remaining: 3 } });
  await server.stop();
  const next = await startRedis({ port: server.port });
  cleanups.push(() => next.stop());
  await waitFor(isShared(limiter), { what: "mode shared" });
  expect(await limiter.check([ten])).toMatchObject({ source: "redis", binding: { remaining: 9 } });
});

test("the local counts are forgotten on recovery", async () => {
  const { server, limiter } = await openLimiter();
  const one = rule(1);
  const outage = async () => {
    server.kill("SIGSTOP");
    await waitFor(() => limiter.check([one]).then(() => limiter.status().breaker === "open"));
    const verdict = (await limiter.check([one])).verdict;
    server.kill("SIGCONT");
    await waitFor(isShared(limiter), { what: "mode shared" });
    return verdict;
  };
  expect(await outage()).toBe("refused");
  const two = rule(2, { slot: one.slot, ruleId: one.ruleId });
  server.kill("SIGSTOP");
  expect((await limiter.check([two])).binding?.remaining).toBe(1);
});

test("one late answer is decided here and forgotten, without a word of an outage", async () => {
  const { server, limiter, changes } = await openLimiter();
  const one = rule(1);
  server.kill("SIGSTOP");
  expect(await limiter.check([one])).toMatchObject({ verdict: "allowed", source: "local" });
  server.kill("SIGCONT");
  expect(limiter.status()).toMatchObject({ mode: "shared", breaker: "closed" });
  expect(changes).toEqual([]);
  await waitFor(async () => (await limiter.check([rule(5)])).source === "redis");
  // The local bucket of `one` is empty now; after a quiet while it is forgotten.
  await waitFor(
    async () => {
      server.kill("SIGSTOP");
      const again = await limiter.check([one]);
      server.kill("SIGCONT");
      return again.source === "local" && again.verdict === "allowed";
    },
    { intervalMs: 800, timeoutMs: 15_000, what: "a local bucket that was forgotten" },
  );
});

test("a late answer now and then does not keep an outage going", async () => {
  const { server, limiter } = await openLimiter();
  server.kill("SIGSTOP");
  await waitFor(() => limiter.status().mode === "local");
  server.kill("SIGCONT");
  await waitFor(
    async () => {
      server.kill("SIGSTOP");
      await limiter.check([rule(5)]);
      server.kill("SIGCONT");
      for (let i = 0; i < 20; i += 1) await limiter.check([rule(5)]);
      return limiter.status().mode === "shared";
    },
    { intervalMs: 10, timeoutMs: 15_000, what: "mode shared" },
  );
});

test("a hung Redis is noticed within two seconds, with one request or none", async () => {
  const { server, limiter } = await openLimiter();
  server.kill("SIGSTOP");
  const startMs = clock.monotonicMs();
  await limiter.check([rule(5)]);
  await waitFor(() => limiter.status().mode === "local", { what: "mode local" });
  expect(clock.monotonicMs() - startMs).toBeLessThan(2000);
});

test("a blocked event loop is not a slow Redis", async () => {
  const { limiter } = await openLimiter();
  const ten = rule(10);
  // From here the loop comes to its timers before it comes to its sockets.
  await new Promise((resolve) => setImmediate(resolve));
  // The later ones wait for their turn, which comes after the block.
  const pending = Array.from({ length: 5 }, () => limiter.check([ten]));
  standStill(4 * DEADLINE_MS);
  const results = await Promise.all(pending);
  expect(results.map(({ source }) => source)).toEqual(Array(5).fill("redis"));
  expect(limiter.counters.timeouts).toBe(0);
});

test("a moment in which the whole machine stood still is asked about again, and charged once", async () => {
  const { server, limiter, changes } = await openLimiter();
  const ten = rule(10);
  await limiter.check([ten]);
  server.kill("SIGSTOP");
  const pending = limiter.check([ten]);
  standStill(2 * DEADLINE_MS);
  server.kill("SIGCONT");
  standStill(DEADLINE_MS);
  expect(await pending).toMatchObject({ verdict: "allowed", source: "redis" });
  expect((await limiter.check([ten])).binding?.remaining).toBe(7);
  expect(limiter.counters).toMatchObject({ expired: 1, timeouts: 0, localDecisions: 0 });
  expect(changes).toEqual([]);
});

test("a Redis that refuses to write is local, and is not flapped back to", async () => {
  const { server, limiter, changes } = await openLimiter();
  const admin = connect(server.port);
  cleanups.push(() => admin.disconnect());
  await waitFor(() => admin.status === "ready");
  await admin.config("SET", "maxmemory", "1");
  const results: string[] = [];
  for (let i = 0; i < 6; i += 1) results.push((await limiter.check([rule(5)])).source);
  expect(new Set(results)).toEqual(new Set(["local"]));
  expect(limiter.status()).toMatchObject({
    breaker: "open",
    error: expect.stringContaining("OOM"),
  });
  const asked = limiter.counters.errors;
  await waitFor(() => limiter.counters.errors > asked + 2, { what: "three probes" });
  expect(changes.map(({ mode }) => mode)).toEqual(["local"]);
  await admin.config("SET", "maxmemory", "0");
  await waitFor(isShared(limiter), { what: "mode shared" });
});

test("while some checks fail and probes succeed the mode stays local, and then it ends by itself", async () => {
  const { limiter, changes, redis } = await openLimiter();
  const poisoned = rule(5, { key: "hg:test:1:{key:poisoned}" });
  await redis.hset(poisoned.key, "not", "a string");
  await waitFor(
    async () => {
      expect((await limiter.check([poisoned])).source).toBe("local");
      return limiter.counters.breakerOpens >= 3;
    },
    { intervalMs: 5, what: "a breaker that opened three times" },
  );
  expect(changes.map(({ mode }) => mode)).toEqual(["local"]);
  await waitFor(isShared(limiter), { what: "mode shared" });
  expect(changes.map(({ mode }) => mode)).toEqual(["local", "shared"]);
});

test("fail modes: open lets pass, closed refuses for a second, both are told as unchecked", async () => {
  const { server, limiter } = await openLimiter();
  server.kill("SIGKILL");
  await waitFor(() => limiter.status().mode === "local");
  const open = rule(1, { failMode: "open" });
  const closed = rule(1, { failMode: "closed" });
  expect(await limiter.check([open])).toMatchObject({
    verdict: "allowed",
    unchecked: [open.ruleId],
  });
  expect(await limiter.check([closed])).toMatchObject({
    verdict: "refused",
    source: "local",
    unchecked: [closed.ruleId],
    binding: { ruleId: closed.ruleId, retryAfterMs: 1000 },
  });
});

test("a peer that accepts and never greets is left alone again and again, until it answers", async () => {
  const { path, port } = await openPath();
  path.isMute = true;
  const { limiter } = limiterOn(port);
  const ten = rule(10);
  expect(await limiter.check([ten])).toMatchObject({ source: "local" });
  await waitFor(() => limiter.counters.connectionResets > 0, { what: "a reset" });
  path.isMute = false;
  await waitFor(isShared(limiter), { what: "mode shared" });
  expect(await limiter.check([ten])).toMatchObject({ source: "redis" });
});

test("a Redis that is only a little too far away opens the breaker like one that hangs", async () => {
  const { path, port } = await openPath();
  const { limiter } = limiterOn(port);
  await waitFor(() => limiter.status().clockOffsetMs !== null);
  path.delayMs = DEADLINE_MS;
  const ten = rule(10);
  for (let i = 0; i < 20; i += 1) await limiter.check([ten]);
  expect(limiter.status().breaker).toBe("open");
  path.delayMs = 0;
  await waitFor(isShared(limiter), { what: "mode shared" });
});

test("a programming error rejects, in both modes", async () => {
  const { server, limiter } = await openLimiter();
  const one = rule(1);
  const twice = [one, { ...one, ruleId: "again" }];
  await expect(limiter.check(twice)).rejects.toThrow(/mean one bucket/);
  server.kill("SIGKILL");
  await waitFor(() => limiter.status().mode === "local");
  await expect(limiter.check(twice)).rejects.toThrow(/mean one bucket/);
});

test("a listener that throws costs no answer", async () => {
  const server = await startRedis();
  cleanups.push(() => server.stop());
  const redis = connect(server.port);
  const limiter = createLimiter({
    state: { kind: "single", redis },
    environment: "test",
    clock,
    log,
    deadlineMs: DEADLINE_MS,
    fleetSize: () => 1,
    onModeChange: () => {
      throw new Error("a broken listener");
    },
  });
  cleanups.push(() => {
    limiter.close();
    redis.disconnect();
  });
  expect(await limiter.check([rule(5)])).toMatchObject({ source: "local", verdict: "allowed" });
  await waitFor(isShared(limiter), { what: "mode shared" });
});

test("closing decides what is pending, and announces no outage", async () => {
  const { server, limiter, changes } = await openLimiter();
  server.kill("SIGSTOP");
  const pending = limiter.check([rule(5)]);
  limiter.close();
  expect(await pending).toMatchObject({ source: "local", verdict: "allowed" });
  expect(changes).toEqual([]);
});

test("100 at once through two limiters on a limit of 60: exactly 60 pass", async () => {
  const { server, limiter } = await openLimiter();
  const other = limiterOn(server.port).limiter;
  await waitFor(() => other.status().clockOffsetMs !== null);
  const sixty = rule(60);
  const results = await Promise.all(
    Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? limiter : other).check([sixty])),
  );
  expect(results.filter(({ source }) => source === "local")).toEqual([]);
  expect(results.filter(({ verdict }) => verdict === "allowed")).toHaveLength(60);
});
