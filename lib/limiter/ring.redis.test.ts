import { Redis } from "ioredis";
import { afterEach, expect, test } from "vitest";
import { SystemClock } from "@/lib/clock";
import { tokenBucket } from "@/lib/core/bucket";
import { createRendezvous } from "@/lib/core/rendezvous";
import { createLog } from "@/lib/log";
import { startRedis, type TestRedis } from "@/lib/testing/redis";
import { waitFor } from "@/lib/testing/wait-for";
import { createLimiter, type Limiter, type LimiterStatus } from "./limiter";
import { bucketKey, type LimiterRule } from "./state-key";

/** Generous, since the machine that runs the tests may be busy. */
const DEADLINE_MS = 100;
/** What a check may take beyond its deadline on such a machine. */
const SLACK_MS = 100;
const NAMES = ["a", "b", "c"] as const;
type Name = (typeof NAMES)[number];

const clock = new SystemClock();
const log = createLog({ name: "test", level: "silent" });
const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type Ring = {
  servers: Record<Name, TestRedis>;
  clients: Record<Name, Redis>;
  limiter: Limiter;
  changes: LimiterStatus[];
};

async function openRing(fleet = 1): Promise<Ring> {
  const servers = byName(await Promise.all(NAMES.map(() => startRedis())));
  const clients = byName(NAMES.map((name) => connect(servers[name].port)));
  const changes: LimiterStatus[] = [];
  const limiter = createLimiter({
    state: { kind: "ring", nodes: NAMES.map((name) => ({ name, redis: clients[name] })) },
    environment: "test",
    clock,
    log,
    deadlineMs: DEADLINE_MS,
    fleetSize: () => fleet,
    onModeChange: (status) => changes.push(status),
  });
  cleanups.push(async () => {
    limiter.close();
    for (const name of NAMES) clients[name].disconnect();
    await Promise.all(NAMES.map((name) => servers[name].stop()));
  });
  await waitFor(() => NAMES.every((name) => clients[name].status === "ready"));
  await waitFor(async () => (await limiter.check([rule("a"), rule("b")])).source === "redis");
  return { servers, clients, limiter, changes };
}

function byName<T>([a, b, c]: readonly T[]): Record<Name, T> {
  return { a, b, c } as Record<Name, T>;
}

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

const placeOf = createRendezvous(NAMES);
let slots = 0;

type RuleInput = Partial<LimiterRule> & { burst?: number };

/** With a principal of its own, that lives on this node. */
function rule(on: Name, { burst = 10, ...input }: RuleInput = {}): LimiterRule {
  slots += 1;
  let key = "";
  for (let n = 0; key === "" || NAMES[placeOf(key)] !== on; n += 1)
    key = bucketKey("test", { principal: `key:${slots}-${n}`, slot: slots, rest: [] });
  return {
    ruleId: `rule-${slots}`,
    key,
    slot: slots,
    role: "enforced",
    limit: tokenBucket({ rate: 1, per: "1h", burst }),
    cost: 1,
    failMode: "local",
    ...input,
  };
}

const remainingOf = async (limiter: Limiter, of: LimiterRule) =>
  ((await limiter.check([{ ...of, role: "enforced" }])).binding?.remaining ?? -1) + 1;

test("each principal's buckets are on the node of its name, and nowhere else", async () => {
  const { limiter, clients } = await openRing();
  for (const name of NAMES) {
    const one = rule(name);
    expect(await limiter.check([one])).toMatchObject({ source: "redis", verdict: "allowed" });
    const holders = await Promise.all(
      NAMES.map(async (n) => [n, await clients[n].exists(one.key)]),
    );
    expect(Object.fromEntries(holders)).toEqual({ a: 0, b: 0, c: 0, [name]: 1 });
  }
});

test("a refusal on one node gives back what another took, and says what each has left", async () => {
  const { limiter } = await openRing();
  const wide = rule("a", { burst: 5 });
  const narrow = rule("b", { burst: 1 });
  expect(await limiter.check([wide, narrow])).toMatchObject({
    verdict: "allowed",
    binding: { ruleId: narrow.ruleId, remaining: 0 },
  });
  const refused = await limiter.check([wide, narrow]);
  expect(refused).toMatchObject({ verdict: "refused", binding: { ruleId: narrow.ruleId } });
  expect(refused.perRule).toMatchObject([
    { ruleId: wide.ruleId, allowed: true, charged: false, remaining: 4 },
    { ruleId: narrow.ruleId, allowed: false, charged: false, remaining: 0 },
  ]);
  await waitFor(() => limiter.counters.refunds === 1, { what: "the refund" });
  expect(await remainingOf(limiter, wide)).toBe(4);
  expect(limiter.counters).toMatchObject({ refunds: 1, lostRefunds: 0, localDecisions: 0 });
});

test("100 at once over two nodes: as many pass as the narrower one holds, and the other keeps the rest", async () => {
  const { limiter } = await openRing();
  const wide = rule("a", { burst: 100 });
  const narrow = rule("b", { burst: 30 });
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => limiter.check([wide, narrow])),
  );
  expect(answers.filter(({ verdict }) => verdict === "allowed")).toHaveLength(30);
  await waitFor(() => limiter.counters.refunds === 70, { what: "70 refunds" });
  expect(await remainingOf(limiter, wide)).toBe(70);
});

test("a shadow rule on another node is asked after the answer, and only if that was yes", async () => {
  const { limiter, servers } = await openRing();
  const gate = rule("a", { burst: 1 });
  const watched = rule("b", { burst: 5, role: "shadow" });
  servers.b.kill("SIGSTOP");
  const first = await limiter.check([watched, gate]);
  expect(first).toMatchObject({ verdict: "allowed", source: "redis" });
  expect(first.perRule[0]).toMatchObject({ ruleId: watched.ruleId, unasked: true });
  servers.b.kill("SIGCONT");
  const later = await first.later;
  expect(later?.perRule).toMatchObject([
    { ruleId: watched.ruleId, allowed: true, remaining: 4 },
    { ruleId: gate.ruleId, allowed: true },
  ]);
  expect(later?.perRule[0]?.unasked).toBeUndefined();
  const second = await limiter.check([watched, gate]);
  expect(second).toMatchObject({ verdict: "refused", binding: { ruleId: gate.ruleId } });
  expect(second.later).toBeUndefined();
  expect(second.perRule[0]).toMatchObject({ unasked: true, charged: false });
});

test("a candidate on another node is charged although its live rule refuses, not when a third one does", async () => {
  const { limiter } = await openRing();
  const live = rule("a", { burst: 1 });
  const candidate = rule("b", { burst: 5, role: "shadow", ruleId: live.ruleId });
  const third = rule("c", { burst: 2 });
  for (const expected of [4, 3]) {
    const decision = await limiter.check([live, candidate, third]);
    expect((await decision.later)?.perRule[1]).toMatchObject({
      charged: true,
      remaining: expected,
    });
  }
  // The second was refused by `live`, which gave `third` its token back; this one takes the last.
  await waitFor(() => limiter.counters.refunds === 1);
  expect((await limiter.check([third])).verdict).toBe("allowed");
  expect((await limiter.check([live, candidate, third])).later).toBeUndefined();
});

test("a dead node's clients are decided locally, the others' as ever, and it comes back by itself", async () => {
  const { limiter, servers, changes } = await openRing(2);
  const onA = rule("a");
  const onB = rule("b");
  await limiter.check([onA]);
  await limiter.check([onB]);
  servers.b.kill("SIGKILL");
  await waitFor(() => changes.length === 1, { what: "the change to local" });
  expect(limiter.status()).toMatchObject({ mode: "local", breaker: "open" });
  expect(limiter.status().error).toMatch(/^b: the connection to Redis closed/);
  expect(await limiter.check([onA])).toMatchObject({ source: "redis", binding: { remaining: 8 } });
  expect(await limiter.check([onB])).toMatchObject({ source: "local", binding: { remaining: 4 } });
  expect(limiter.status().shards.map(({ name, mode }) => [name, mode])).toEqual([
    ["a", "shared"],
    ["b", "local"],
    ["c", "shared"],
  ]);
  await servers.b.stop();
  const next = await startRedis({ port: servers.b.port });
  cleanups.push(() => next.stop());
  await waitFor(() => limiter.status().mode === "shared", { what: "mode shared" });
  // An empty server: it starts full.
  expect(await limiter.check([onB])).toMatchObject({ source: "redis", binding: { remaining: 9 } });
  expect(changes.map(({ mode }) => mode)).toEqual(["local", "shared"]);
});

test("with one node away a request over two is decided by both worlds, and refused by either", async () => {
  const { limiter, servers } = await openRing(2);
  servers.b.kill("SIGKILL");
  await waitFor(() => limiter.status().mode === "local");
  const onA = rule("a", { burst: 10 });
  const onB = rule("b", { burst: 6 });
  const answers: string[] = [];
  for (let i = 0; i < 5; i += 1) {
    const { verdict, source } = await limiter.check([onA, onB]);
    answers.push(`${verdict} ${source}`);
  }
  // Two gateways share six.
  expect(answers).toEqual([...Array(3).fill("allowed local"), ...Array(2).fill("refused local")]);
  await waitFor(() => limiter.counters.refunds === 2);
  expect(await remainingOf(limiter, onA)).toBe(7);
  // The other way round: what was taken locally is given back when Redis refuses.
  const empty = rule("a", { burst: 1 });
  const share = rule("b", { burst: 8 });
  await limiter.check([empty]);
  expect((await limiter.check([empty, share])).verdict).toBe("refused");
  expect((await limiter.check([share])).binding?.remaining).toBe(3);
});

test("a refund that may have run is not sent again, and is counted as lost", async () => {
  const { limiter, servers, clients } = await openRing();
  const wide = rule("a", { burst: 5 });
  const narrow = rule("b", { burst: 1 });
  await limiter.check([wide, narrow]);
  // Redis a answers the take, then hangs for the refund.
  servers.b.kill("SIGSTOP");
  const pending = limiter.check([wide, narrow]);
  await waitFor(() => clients.a.commandQueue?.length === 0);
  servers.a.kill("SIGSTOP");
  servers.b.kill("SIGCONT");
  expect(await pending).toMatchObject({ verdict: "refused", source: "redis" });
  await waitFor(() => limiter.counters.lostRefunds === 1, { what: "a lost refund" });
  servers.a.kill("SIGCONT");
  await waitFor(() => limiter.status().mode === "shared");
  // It expired in the server: nothing came back, and nothing came twice.
  expect(await remainingOf(limiter, wide)).toBe(3);
  expect(limiter.counters.refunds).toBe(0);
});

test("a bucket that looked empty while another request held its token is not remembered so", async () => {
  const { limiter, servers } = await openRing();
  const contested = rule("a", { burst: 1 });
  const empty = rule("b", { burst: 1 });
  await limiter.check([empty]);
  // The first takes the only token of `contested` and must wait for b to learn that it is refused.
  servers.b.kill("SIGSTOP");
  const first = limiter.check([
    contested,
    { ...empty, ruleId: "other", slot: empty.slot + 5_000 },
    empty,
  ]);
  await waitFor(async () => (await limiter.check([contested])).verdict === "refused");
  servers.b.kill("SIGCONT");
  expect(await first).toMatchObject({ verdict: "refused", source: "redis" });
  await waitFor(() => limiter.counters.refunds === 1, { what: "the refund" });
  expect(await limiter.check([contested])).toMatchObject({ verdict: "allowed", source: "redis" });
});

test("two servers that hang cost a request one deadline, then none", async () => {
  const { limiter, servers } = await openRing();
  const [onA, onB, onC] = [rule("a"), rule("b"), rule("c")];
  servers.a.kill("SIGSTOP");
  servers.b.kill("SIGSTOP");
  const startMs = clock.monotonicMs();
  const first = await limiter.check([onA, onB, onC]);
  expect(clock.monotonicMs() - startMs).toBeLessThan(DEADLINE_MS + SLACK_MS);
  expect(first).toMatchObject({ verdict: "allowed", source: "local" });
  await waitFor(
    () => limiter.status().shards.filter(({ breaker }) => breaker === "open").length === 2,
  );
  const openMs = clock.monotonicMs();
  for (let i = 0; i < 5; i += 1) await limiter.check([onA, onB]);
  expect(clock.monotonicMs() - openMs).toBeLessThan(DEADLINE_MS);
  expect(limiter.status().error).toMatch(/^a: .*; b: /);
  servers.a.kill("SIGCONT");
  servers.b.kill("SIGCONT");
  await waitFor(() => limiter.status().mode === "shared", { what: "mode shared" });
});
