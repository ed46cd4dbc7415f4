import { randomBytes } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { SystemClock } from "@/lib/clock";
import { tokenBucket } from "@/lib/core/bucket";
import { fixedWindow } from "@/lib/core/fixed-window";
import { createLog } from "@/lib/log";
import { connectRedis } from "@/lib/redis/connect";
import { scriptCalls } from "@/lib/testing/hammer";
import { startRedis, type TestRedis } from "@/lib/testing/redis";
import { waitFor } from "@/lib/testing/wait-for";
import { createLimiter, type Limiter, type StateConnection } from "./limiter";
import { type LimiterRule, stateKey } from "./state-key";

const clock = new SystemClock();
const log = createLog({ name: "test", level: "silent" });
let servers: TestRedis[] = [];
const observers: Redis[] = [];
const cleanups: (() => void)[] = [];

beforeAll(async () => {
  servers = await Promise.all([startRedis(), startRedis()]);
  observers.push(...servers.map(({ url }) => new Redis(url)));
});
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});
afterAll(async () => {
  for (const observer of observers) observer.disconnect();
  await Promise.all(servers.map((server) => server.stop()));
});

async function openLimiter(kind: "single" | "ring"): Promise<Limiter> {
  const connect = ({ port }: TestRedis) => {
    const address = { host: "127.0.0.1", port, database: 0, tls: false };
    const redis = connectRedis({ address, role: "check", name: "test", log });
    cleanups.push(() => redis.disconnect());
    return redis;
  };
  const [first] = servers;
  if (first === undefined) throw new Error("no server");
  const state: StateConnection =
    kind === "single"
      ? { kind, redis: connect(first) }
      : { kind, nodes: servers.map((server, i) => ({ name: `n${i}`, redis: connect(server) })) };
  const limiter = createLimiter({
    state,
    environment: "test",
    clock,
    log,
    fleetSize: () => 2,
    // Nothing is decided locally, however busy the machine is.
    deadlineMs: 5_000,
    leaseAbovePerSecond: 50,
  });
  cleanups.unshift(() => limiter.close());
  await waitFor(() => limiter.status().shards.every(({ mode }) => mode === "shared"));
  await waitFor(() => limiter.status().clockOffsetMs !== null, { what: "the first answer" });
  return limiter;
}

function rule(fields: Partial<LimiterRule> & { principal: string }): LimiterRule {
  const { principal, ...rest } = fields;
  return {
    ruleId: "rule",
    key: stateKey("test", principal),
    slot: 1,
    role: "enforced",
    limit: tokenBucket({ rate: 1, per: "1h", burst: 4_000 }),
    cost: 1,
    failMode: "closed",
    ...rest,
  };
}

const newPrincipal = () => `key:${randomBytes(6).toString("hex")}`;

async function calls(): Promise<number> {
  const each = await Promise.all(observers.map(scriptCalls));
  return each.reduce((sum, count) => sum + count, 0);
}

async function checks(limiter: Limiter, rules: LimiterRule[], count: number): Promise<number> {
  let allowed = 0;
  for (let i = 0; i < count; i += 1) {
    if ((await limiter.check(rules)).verdict === "allowed") allowed += 1;
    await turn();
  }
  return allowed;
}

describe.each(["single", "ring"] as const)("on Redis as %s", (kind) => {
  test("a hot request of two clients' leased rules is served from memory, and no token twice", async () => {
    const [a, b] = [await openLimiter(kind), await openLimiter(kind)];
    const rules = [newPrincipal(), newPrincipal()].map((principal, i) =>
      rule({ principal, ruleId: `rule-${i}`, precision: "leased" }),
    );
    const before = await calls();
    const [ofA, ofB] = await Promise.all([checks(a, rules, 3_000), checks(b, rules, 3_000)]);
    expect(ofA + ofB).toBeLessThanOrEqual(4_000);
    expect(ofA + ofB).toBeGreaterThan(3_000);
    expect(await calls()).toBeLessThan(before + 2_000);
    expect(a.memory.decisions.leased).toBeGreaterThan(1_000);
    expect(a.counters.checks).toBe(3_000);
    expect(a.counters.localDecisions + b.counters.localDecisions).toBe(0);
  });

  test("approximate limiters hear of each other within seconds, and know their overshoot", async () => {
    const [a, b] = [await openLimiter(kind), await openLimiter(kind)];
    const rules = [
      rule({
        principal: newPrincipal(),
        precision: "approximate",
        limit: fixedWindow({ rate: 100, per: "1d" }, "UTC"),
      }),
    ];
    const first = await Promise.all([checks(a, rules, 80), checks(b, rules, 80)]);
    let admitted = first.reduce((sum, count) => sum + count, 0);
    expect(admitted).toBeGreaterThanOrEqual(100);
    await waitFor(async () => {
      const more = (await checks(a, rules, 1)) + (await checks(b, rules, 1));
      admitted += more;
      return more === 0;
    });
    const sum = (of: "overshoot" | "bound") =>
      [a, b]
        .flatMap(({ memory }) => [...memory.overshoot.values()])
        .reduce((total, tally) => total + tally[of], 0);
    await waitFor(() => sum("overshoot") >= admitted - 100);
    expect(sum("overshoot")).toBeLessThanOrEqual(sum("bound"));
    expect(a.memory.failedSyncs + b.memory.failedSyncs).toBe(0);
  });

  test("a client that is known to be empty costs Redis nothing", async () => {
    const limiter = await openLimiter(kind);
    const rules = [
      rule({ principal: newPrincipal(), limit: tokenBucket({ rate: 1, per: "1h", burst: 5 }) }),
    ];
    expect(await checks(limiter, rules, 6)).toBe(5);
    const before = await calls();
    const startMs = performance.now();
    for (let i = 0; i < 200; i += 1)
      expect((await limiter.check(rules)).binding).toMatchObject({ remaining: 0, allowed: false });
    // Asked again once a second, and by probes.
    const seconds = (performance.now() - startMs) / 1_000;
    expect(await calls()).toBeLessThanOrEqual(before + 4 + 4 * Math.ceil(seconds));
  });

  const inMemory = {
    leased: { precision: "leased" },
    approximate: {
      precision: "approximate",
      limit: fixedWindow({ rate: 4_000, per: "1d" }, "UTC"),
    },
  } as const;
  const inFlight = (concurrent: number) =>
    ({ algorithm: "concurrency", quota: concurrent, leaseSeconds: 30 }) as const;

  /** One after another until memory has decided some; each request is over before the next begins. */
  async function untilFromMemory(limiter: Limiter, rules: LimiterRule[]) {
    const decisions = [];
    const fromMemory = () => Object.values(limiter.memory.decisions).reduce((a, b) => a + b, 0);
    for (let i = 0; i < 3_000 && fromMemory() < 20; i += 1) {
      const decision = await limiter.check(rules);
      const last = (await decision.later) ?? decision;
      decision.flight?.end();
      await turn();
      decisions.push({ ...last, isFromMemory: decision.memory !== undefined });
    }
    return decisions;
  }

  test.each(["leased", "approximate"] as const)(
    "what a rule in shadow counts in flight is over with a request that memory decided: %s",
    async (precision) => {
      const limiter = await openLimiter(kind);
      const principal = newPrincipal();
      const counted = rule({
        principal,
        ruleId: "counted",
        key: `${stateKey("test", principal)}:2`,
        slot: 2,
        role: "shadow",
        limit: inFlight(3),
      });
      const rules = [rule({ principal, ...inMemory[precision] }), counted];
      const decisions = await untilFromMemory(limiter, rules);
      expect(decisions.filter(({ isFromMemory }) => isFromMemory).length).toBeGreaterThan(10);
      expect(decisions.filter(({ perRule }) => perRule[1]?.allowed !== true)).toEqual([]);
      expect(limiter.inFlight).toBe(0);
      await waitFor(async () => {
        const left = await Promise.all(observers.map((each) => each.zcard(counted.key)));
        return left.every((count) => count === 0);
      });
    },
  );

  test("a candidate counts no request in flight that memory refused", async () => {
    const limiter = await openLimiter(kind);
    const principal = newPrincipal();
    const live = rule({
      principal,
      precision: "approximate",
      limit: fixedWindow({ rate: 2, per: "1d" }, "UTC"),
    });
    const candidate = rule({
      principal,
      key: `${stateKey("test", principal)}:2`,
      slot: 2,
      role: "shadow",
      limit: inFlight(3),
    });
    const decisions = await untilFromMemory(limiter, [live, candidate]);
    expect(decisions.at(-1)?.verdict).toBe("refused");
    expect(limiter.inFlight).toBe(0);
    await waitFor(async () => {
      const left = await Promise.all(observers.map((each) => each.zcard(candidate.key)));
      return left.every((count) => count === 0);
    });
  });

  test("rules in shadow of many clients are all counted beside what memory decides", async () => {
    const limiter = await openLimiter(kind);
    const shadows = Array.from({ length: 12 }, (_, i) =>
      rule({
        principal: newPrincipal(),
        ruleId: `shadow-${i}`,
        role: "shadow",
        precision: i % 2 === 0 ? "exact" : "leased",
      }),
    );
    const rules = [rule({ principal: newPrincipal(), precision: "leased" }), ...shadows];
    const decisions = await untilFromMemory(limiter, rules);
    expect(decisions.filter(({ isFromMemory }) => isFromMemory).length).toBeGreaterThan(10);
    const unasked = decisions.flatMap(({ perRule }) => perRule.filter((o) => o.unasked === true));
    expect(unasked).toEqual([]);
  });

  test("a candidate of another client counts no request in flight that its live rule refused", async () => {
    const limiter = await openLimiter(kind);
    const live = rule({
      principal: newPrincipal(),
      limit: tokenBucket({ rate: 1, per: "1h", burst: 1 }),
    });
    expect((await limiter.check([live])).verdict).toBe("allowed");
    const keys = Array.from({ length: 12 }, () => `${stateKey("test", newPrincipal())}:2`);
    let charged = 0;
    for (const key of keys) {
      const candidate = { ...live, key, slot: 2, role: "shadow" as const, limit: inFlight(3) };
      const decision = await limiter.check([live, candidate]);
      expect(decision.verdict).toBe("refused");
      const { perRule } = (await decision.later) ?? decision;
      if (perRule[1]?.charged === true) charged += 1;
    }
    expect(charged).toBe(keys.length);
    await waitFor(async () => {
      const left = await Promise.all(
        observers.flatMap((each) => keys.map((key) => each.zcard(key))),
      );
      return left.every((count) => count === 0);
    });
  });
});
