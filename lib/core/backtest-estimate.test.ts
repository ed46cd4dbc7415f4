import { expect, test } from "vitest";
import { seeded } from "../testing/random";
import { bodyOf, ruleOf } from "../testing/rules";
import { createBacktest } from "./backtest";
import { createDemandRecorder, type Demand } from "./backtest-demand";
import { estimateLimit } from "./backtest-estimate";
import { neededOf, peaksOf, percentilesOf } from "./backtest-peaks";
import { planDemands } from "./backtest-proposal";
import type { BacktestRequest } from "./backtest-result";
import { tokenBucket } from "./bucket";
import { compileRuleset } from "./compile-ruleset";
import type { RateLimit } from "./limit";
import { bucketOf } from "./plan-limits";

const START_MS = Date.UTC(2026, 2, 1);

/** Clients of very different weight, in bursts of some requests a fifth of a second apart. */
function traffic({
  clients,
  requests,
  spanMs,
}: {
  clients: number;
  requests: number;
  spanMs: number;
}) {
  const random = seeded(clients);
  const some = (mean: number) => -Math.log(1 - random()) * mean;
  const all: BacktestRequest[] = [];
  for (let nth = 0; nth < clients; nth += 1) {
    const ip = `198.18.${nth >> 8}.${nth & 255}`;
    let left = Math.ceil((requests / Math.log(clients)) * (0.8 / (nth + 2)));
    while (left > 0) {
      let atMs = START_MS + random() * spanMs;
      for (let i = Math.ceil(some(8)); i > 0 && left > 0; i -= 1, left -= 1) {
        all.push({ atMs, client: `ip:${ip}`, ip, plan: "anonymous", method: "GET", path: "/a" });
        atMs += some(200);
      }
    }
  }
  return all.sort((a, b) => a.atMs - b.atMs);
}

type Form = { algorithm: RateLimit["algorithm"]; rate: number; per: string; burst: number };

function limitOf({ algorithm, rate, per, burst }: Form) {
  const amount = algorithm === "token-bucket" ? { rate, per, burst } : { rate, per };
  const rule = ruleOf({ kind: "rate", algorithm, default: amount } as RateLimit, {
    countBy: ["client"],
  });
  if (rule.limit.kind !== "rate") throw new Error("not a rate");
  return { rule, limit: rule.limit, bucket: bucketOf(rule.limit, amount) };
}

function simulate(requests: readonly BacktestRequest[], form: Form) {
  const { rule } = limitOf(form);
  const index = compileRuleset(bodyOf([rule]), { epoch: 1, version: 1, hash: "test" });
  const backtest = createBacktest(index, { demand: true });
  backtest.push(requests);
  const result = backtest.result();
  const demand = backtest.demandOf(rule.id, "live");
  if (demand === null) throw new Error("no demand");
  return { result, demand };
}

const some = traffic({ clients: 800, requests: 20_000, spanMs: 600_000 });

test.each<Form>([
  { algorithm: "token-bucket", rate: 60, per: "1m", burst: 20 },
  { algorithm: "token-bucket", rate: 3, per: "1s", burst: 3 },
  { algorithm: "sliding-window", rate: 40, per: "1m", burst: 0 },
  { algorithm: "fixed-window", rate: 40, per: "1m", burst: 0 },
])(
  "an estimate of other limits than $algorithm $rate per $per is within 1.5 % of all requests",
  (form) => {
    const { demand } = simulate(some, form);
    let seen = 0;
    for (const times of [0.2, 0.5, 1, 3]) {
      const other = {
        ...form,
        rate: Math.ceil(form.rate * times),
        burst: Math.ceil(form.burst * times),
      };
      const { result } = simulate(some, other);
      const estimate = estimateLimit(demand, () => limitOf(other).bucket);
      expect(estimate.requests).toBe(result.requests);
      expect(estimate.clients).toBe(result.clients);
      expect(Math.abs(estimate.rejections - result.rejections)).toBeLessThan(
        0.015 * result.requests,
      );
      expect(Math.abs(estimate.clientsRejected - result.clientsRejected)).toBeLessThan(
        0.05 * result.clients,
      );
      if (result.share > 0.01) seen += 1;
    }
    expect(seen).toBeGreaterThan(2);
  },
);

test("with the burst that a bucket needs nothing of it is refused, with one less something is", () => {
  const form: Form = { algorithm: "token-bucket", rate: 60, per: "1m", burst: 20 };
  const { demand } = simulate(some.slice(0, 5_000), form);
  const { bucket } = limitOf(form);
  const needed = neededOf(demand, () => bucket);
  const { max } = percentilesOf(needed.slice());
  const rejections = (burst: number) =>
    estimateLimit(demand, () => tokenBucket({ rate: 60, per: "1m", burst })).rejections;
  expect(rejections(max)).toBe(0);
  expect(rejections(max - 1)).toBeGreaterThan(0);
  const above = needed.filter((value) => value > 20).length;
  expect(estimateLimit(demand, () => bucket).clientsRejected).toBe(above);
});

function recorded(
  windowMs: number,
  counts: [bucket: string, atMs: number, cost?: number][],
  entriesMax = 1_024,
) {
  const recorder = createDemandRecorder({ windowMs, entriesMax });
  const known = new Map<string, number>();
  for (const [name, atMs, cost = 1] of counts) {
    const bucket = known.get(name) ?? recorder.bucketOf(name, "free");
    known.set(name, bucket);
    recorder.count(bucket, START_MS + atMs, cost);
  }
  return recorder.demand();
}

test("a peak is the most in any interval, wherever it begins", () => {
  const demand = recorded(60_000, [
    ["a", 0],
    ["b", 0, 7],
    ["a", 50_000],
    ["a", 59_000, 2],
    ["a", 70_000],
    ["a", 130_000],
  ]);
  expect([...peaksOf(demand, 60_000)]).toEqual([4, 7]);
});

test("percentiles are values that a client has", () => {
  const values = Float64Array.from({ length: 1_000 }, (_, i) => 1_000 - i);
  expect(percentilesOf(values)).toEqual({ p50: 500, p90: 900, p99: 990, p999: 999, max: 1_000 });
  expect(percentilesOf(new Float64Array(0))).toEqual({ p50: 0, p90: 0, p99: 0, p999: 0, max: 0 });
});

test("entries stay within their bound: ticks grow longer, and no request is lost", () => {
  const random = seeded(3);
  const counts = Array.from({ length: 30_000 }, (_, i): [string, number] => [
    `c${Math.floor(40 * random() ** 2)}`,
    i * 100,
  ]);
  const demand = recorded(60_000, counts, 2_048);
  expect(demand.tick.length).toBeLessThanOrEqual(2_048);
  expect(demand.tickMs).toBeGreaterThan(1_000);
  expect(demand.requests.reduce((sum, value) => sum + value)).toBe(30_000);
  for (let bucket = 0; bucket < demand.clients.length; bucket += 1) {
    const ticks = demand.tick.subarray(demand.starts[bucket], demand.starts[bucket + 1]);
    expect([...ticks]).toEqual([...new Set(ticks)].sort((a, b) => a - b));
  }
  const exact = recorded(60_000, counts, 100_000);
  const limit = tokenBucket({ rate: 20, per: "1m", burst: 40 });
  const [rough, fine] = [demand, exact].map(
    (one: Demand) => estimateLimit(one, () => limit).rejections,
  ) as [number, number];
  expect(Math.abs(rough - fine)).toBeLessThan(0.05 * 30_000);
});

test("a proposal leaves 99 in 100 clients alone, and each plan has its own", () => {
  const plans = some.map(
    (request, i): BacktestRequest => ({
      ...request,
      client: `key:${request.ip}`,
      plan: i % 2 === 0 || request.ip.endsWith(".0") ? "free" : "paid",
      path: `/${i}`,
    }),
  );
  const limit = { rate: 60, per: "1m", burst: 20 };
  const rule = ruleOf(
    {
      kind: "rate",
      algorithm: "token-bucket",
      perPlan: { free: limit },
      default: { rate: 600, per: "1m", burst: 100 },
    },
    { countBy: ["client", "plan"] },
  );
  const index = compileRuleset(bodyOf([rule]), { epoch: 1, version: 1, hash: "test" });
  const backtest = createBacktest(index, { demand: true });
  backtest.push(plans);
  const demands = backtest.result().rules[0]?.demand ?? [];
  expect(demands.map(({ plan }) => plan).sort()).toEqual(["free", "paid"]);
  for (const { plan, peaks, needed, buckets, proposed, windowSeconds } of demands) {
    expect(windowSeconds).toBe(60);
    expect(peaks.p50).toBeGreaterThan(0);
    expect(peaks.p99).toBeGreaterThan(peaks.p50);
    expect(needed.max).toBeGreaterThanOrEqual(needed.p99);
    expect(proposed.estimate.clientsRejected).toBeLessThanOrEqual(Math.ceil(buckets / 100));
    const { limit } = proposed;
    if (!("burst" in limit)) throw new Error(plan);
    expect(limit.rate).toBeGreaterThanOrEqual(peaks.p99);
  }
});

test("without a limit, or with nothing asked, there is nothing to propose", () => {
  const demand = recorded(60_000, []);
  expect(
    planDemands(demand, limitOf({ algorithm: "token-bucket", rate: 1, per: "1m", burst: 1 }).limit),
  ).toEqual([]);
  expect(estimateLimit(demand, () => null)).toEqual({
    requests: 0,
    rejections: 0,
    share: 0,
    clients: 0,
    clientsRejected: 0,
    byPlan: [],
  });
});
