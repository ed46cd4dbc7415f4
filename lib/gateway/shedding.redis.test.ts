import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CountBatchSchema } from "../core/counts";
import type { Rule } from "../core/rule";
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
import { bodyOf, ruleOf, tokenBucketRule } from "../testing/rules";
import { waitFor } from "../testing/wait-for";
import type { ShedderStatus } from "./shedder-states";

vi.setConfig({ testTimeout: 45_000 });

const environment = randomEnvironment();
let server: TestRedis;
let redis: Redis;
let upstream: Listening;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateways: [TestGateway, TestGateway];
let version = 0;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url, { retryStrategy: () => 50 });
  redis.on("error", () => {});
  [upstream, folder] = await Promise.all([echoUpstream(), temporaryFolder()]);
  await publishDirectory(redis, directoryOf(environment, {}));
  const common = {
    environment,
    redisUrl: server.url,
    upstream: upstream.url,
    dataDir: folder.path,
  };
  gateways = [
    await startGateway({ ...common, id: "gateway-a" }),
    await startGateway({ ...common, id: "gateway-b" }),
  ];
});

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await Promise.all([upstream.close(), folder.remove()]);
  redis.disconnect();
  await server.stop();
});

async function publish(rules: Rule[]) {
  version += 1;
  const body = bodyOf(rules);
  for (const [i, entry] of body.rules.entries()) if (entry.live) entry.live.slot = version * 10 + i;
  await publishRules(redis, { environment, version, body });
  await waitFor(() => gateways.every((one) => one.status().rules.applied?.version === version));
  await waitFor(() => gateways.every((one) => one.status().directory.complete));
}

async function shedderOf<K extends ShedderStatus["kind"]>(
  gateway: TestGateway,
  kind: K,
  rule: string,
): Promise<Extract<ShedderStatus, { kind: K }>> {
  const status = await (await fetch(`${gateway.adminUrl}/status`)).json();
  const found = status.shedders.find(
    (one: ShedderStatus) => one.kind === kind && one.rule === rule,
  );
  if (found === undefined) throw new Error(`no ${kind} rule ${rule} in ${JSON.stringify(status)}`);
  return found;
}

const metricsOf = async (gateway: TestGateway) =>
  (await fetch(`${gateway.adminUrl}/metrics`)).text();
const isCritical = { "x-priority": "critical" };

type Answered = { gateway: number; status: number; headers: Headers };

/** Sends to both gateways, so many a second, until told to stop. */
function sendTraffic(perSecond: [a: number, b: number], headers: Record<string, string>) {
  const answered: Answered[] = [];
  const startedMs = performance.now();
  const sent = [0, 0];
  const running = new Set<Promise<void>>();
  const send = async (gateway: number) => {
    const answer = await fetch(`${gateways[gateway]?.url}/v1/messages`, { headers });
    await answer.arrayBuffer();
    answered.push({ gateway, status: answer.status, headers: answer.headers });
  };
  const timer = setInterval(() => {
    for (const [gateway, rate] of perSecond.entries()) {
      const due = ((performance.now() - startedMs) / 1000) * rate;
      for (; (sent[gateway] ?? 0) < due; sent[gateway] = (sent[gateway] ?? 0) + 1) {
        const work = send(gateway);
        running.add(work);
        void work.finally(() => running.delete(work));
      }
    }
  }, 10);
  return {
    answered,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}

describe("a fleet rule over two gateways", () => {
  // 60 a second, of which not critical requests may use 30.
  const rules = [
    ruleOf({ kind: "fleet", capacity: 60, reserve: 50 }, { id: "fleet" }),
    ruleOf(
      { kind: "fleet", capacity: 60, reserve: 50 },
      { id: "first", priority: "critical", match: { headers: { "x-priority": ["critical"] } } },
    ),
    ruleOf({ kind: "fleet", capacity: 10, reserve: 0 }, { id: "watch", mode: "shadow" }),
    tokenBucketRule({
      id: "counted",
      countBy: ["global"],
      limit: { default: { rate: 1000, per: "30d", burst: 10_000 } },
    }),
  ];

  test("shares what it may take by demand, never refuses critical requests, and spends nothing on a refusal", async () => {
    await publish(rules);
    const normal = sendTraffic([60, 20], {});
    const critical = sendTraffic([10, 10], isCritical);
    try {
      await waitFor(
        async () => {
          const [a, b] = await Promise.all(gateways.map((one) => shedderOf(one, "fleet", "fleet")));
          const together = (a?.allotment ?? 0) + (b?.allotment ?? 0);
          const isWhole = together > 25 && together < 31;
          const ofA = (a?.allotment ?? 0) / together;
          return isWhole && a?.gateways === 2 && b?.gateways === 2 && ofA > 0.68 && ofA < 0.82;
        },
        { timeoutMs: 12_000, what: "both gateways' part of the fleet" },
      );
      const from = { ms: performance.now(), at: normal.answered.length };
      await waitFor(() => normal.answered.length >= from.at + 300, { timeoutMs: 15_000 });
      const seconds = (performance.now() - from.ms) / 1000;
      const passed = normal.answered.slice(from.at).filter(({ status }) => status === 200);
      // Bursts of half a second's part, at least 4 each, may have been saved up.
      expect(passed.length).toBeLessThan(30 * seconds * 1.05 + 25);
      // Loose: on a busy machine traffic comes in gusts.
      expect(passed.length).toBeGreaterThan(30 * seconds * 0.5);
      const ofA = passed.filter(({ gateway }) => gateway === 0).length / passed.length;
      expect(ofA).toBeGreaterThan(0.5);
      expect(ofA).toBeLessThan(0.9);
    } finally {
      await Promise.all([normal.stop(), critical.stop()]);
    }
    expect(new Set(critical.answered.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = normal.answered.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    const waits = refused.map(({ headers }) => Number(headers.get("retry-after")));
    expect(Math.min(...waits)).toBe(1);
    expect(Math.max(...waits)).toBeGreaterThan(2);
    expect(Math.max(...waits)).toBeLessThanOrEqual(10);
    for (const { headers } of refused) expect(headers.get("x-ratelimit-remaining")).toBeNull();
    const admitted = [...normal.answered, ...critical.answered].filter((one) => one.status === 200);
    const last = await fetch(`${gateways[0].url}/v1/messages`, { headers: isCritical });
    expect(Number(last.headers.get("x-ratelimit-remaining"))).toBe(10_000 - admitted.length - 1);
  });

  test("says so in metrics and counts, also what a rule in shadow would have refused", async () => {
    const metrics = await metricsOf(gateways[0]);
    expect(metrics).toMatch(
      /headgate_shed_total{rule="fleet",mode="enforce",lane="live",priority="normal"} [1-9]/,
    );
    expect(metrics).toMatch(
      /headgate_shed_total{rule="watch",mode="shadow",lane="live",priority="normal"} [1-9]/,
    );
    expect(metrics).toMatch(/headgate_requests_total{verdict="shed"} [1-9]/);
    expect(metrics).toMatch(/headgate_fleet_gateways{rule="fleet"} 2/);
    expect(metrics).not.toMatch(/headgate_shed_total{[^}]*critical/);
    const sums = await waitFor(async () => {
      const entries = await redis.xrange(controlKeys(environment).counts, "-", "+");
      const rows = entries.flatMap(
        ([, fields]) => CountBatchSchema.parse(JSON.parse(fields[1] ?? "")).counts,
      );
      const sum = (rule: string, of: "requests" | "rejections" | "newly") =>
        rows.filter((row) => row.rule === rule).reduce((total, row) => total + row[of], 0);
      const found = {
        fleet: { requests: sum("fleet", "requests"), rejections: sum("fleet", "rejections") },
        watch: { newly: sum("watch", "newly"), rejections: sum("watch", "rejections") },
      };
      return found.watch.newly > 0 && found.fleet.rejections > 0 && found;
    });
    expect(sums.fleet.requests).toBeGreaterThan(sums.fleet.rejections);
    expect(sums.watch.rejections).toBeGreaterThan(sums.watch.newly);
  });

  test("answers with the draft's problem", async () => {
    const ask = () =>
      fetch(`${gateways[0].url}/v1/messages`, { headers: { "x-request-id": "r-1" } });
    let answer = await ask();
    while (answer.status === 200) answer = await ask();
    expect(answer.status).toBe(503);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.headers.get("x-request-id")).toBe("r-1");
    const body = await answer.json();
    expect(body).toMatchObject({
      type: "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",
      status: 503,
      rule: "fleet",
      version,
      requestId: "r-1",
      "violated-policies": ["fleet"],
    });
    expect(String(body.retryAfter)).toBe(answer.headers.get("retry-after"));
    expect(body.detail).not.toMatch(/60|30/);
  });

  test("without Redis each gateway takes capacity / gateways, and they find each other again", async () => {
    await redis.publish(
      controlKeys(environment).notices,
      JSON.stringify({ kind: "fleet", live: 2, silent: 0 }),
    );
    const { port } = server;
    await waitFor(() => gateways.every((one) => one.status().fleet.live === 2));
    await server.stop();
    const parts = () => Promise.all(gateways.map((one) => shedderOf(one, "fleet", "fleet")));
    const timing = { timeoutMs: 15_000 };
    await waitFor(async () => (await parts()).every(({ isAlone }) => isAlone), timing);
    for (const { allotment } of await parts()) expect(allotment).toBeLessThanOrEqual(15);
    server = await startRedis({ port });
    await waitFor(async () => (await parts()).every(({ gateways }) => gateways === 2), timing);
  });
});

describe("a worker rule", () => {
  /** Keeps this process, and so its gateways, busy for 150 ms at a time. */
  function blockLoop(): { stop(): void } {
    let isBlocking = true;
    const block = () => {
      const untilMs = performance.now() + 150;
      while (performance.now() < untilMs);
      if (isBlocking) setTimeout(block, 1);
    };
    block();
    return {
      stop: () => {
        isBlocking = false;
      },
    };
  }

  test("sheds by the event loop's delay, the least important first, and lets them back slowly", async () => {
    await publish([
      ruleOf({ kind: "worker", maxDelayMs: 50 }, { id: "loop", priority: "test" }),
      ruleOf(
        { kind: "worker", maxDelayMs: 5000 },
        { id: "first", priority: "critical", match: { headers: { "x-priority": ["critical"] } } },
      ),
    ]);
    const pressure = async () => (await shedderOf(gateways[0], "worker", "loop")).pressure;
    const send = (headers: Record<string, string> = {}) =>
      fetch(`${gateways[0].url}/v1/messages`, { headers });
    expect((await send()).status).toBe(200);
    const blocked = blockLoop();
    try {
      await waitFor(async () => (await pressure()) >= 1, { timeoutMs: 10_000 });
      expect((await send(isCritical)).status).toBe(200);
      const refused = await send();
      expect(refused.status).toBe(503);
      expect(await refused.json()).toMatchObject({ rule: "loop" });
    } finally {
      blocked.stop();
    }
    const worst = await pressure();
    await waitFor(async () => (await pressure()) < worst - 0.1, { timeoutMs: 15_000 });
    expect(await metricsOf(gateways[0])).toMatch(/headgate_worker_pressure{rule="loop"} [0-9]/);
  });
});
