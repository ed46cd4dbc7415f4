import type { Demand } from "./backtest-demand";
import { type EstimateRow, estimateLimit } from "./backtest-estimate";
import { neededOf, type Percentiles, peaksOf, percentilesOf } from "./backtest-peaks";
import { type BucketLimit, windowSeconds } from "./bucket-limit";
import { type Amount, amountFor, RATE_MAX, type RateLimit, WINDOW_MAX } from "./limit";
import { bucketOf } from "./plan-limits";

/** Of what the busiest of 99 in 100 clients did. */
export const PROPOSAL_MARGIN = 1.25;

/** What clients of one plan really ask of a rule, beside what it allows. */
export type PlanDemand = {
  plan: string;
  /** The rule's amount for the plan, and its interval in seconds. */
  limit: Exclude<Amount, "unlimited">;
  windowSeconds: number;
  /** What the rule counts by; often clients, but a client may have several. */
  buckets: number;
  /** Over buckets, in tokens: the most in any such interval, and the burst (rate of a window) that refuses nothing. */
  peaks: Percentiles;
  needed: Percentiles;
  /** Under the limit, if no other rule refused anything; an estimate. */
  estimate: EstimateRow;
  proposed: { limit: Exclude<Amount, "unlimited">; estimate: EstimateRow };
};

/**
 * For each plan, what was asked and a limit that would leave all but the very busiest alone: rate and burst are 1.25
 * times what the busiest of 99 in 100 buckets needed, at two digits. So do those who run such systems at scale (Uber's
 * Rate Limit Configurator proposes from weeks of history plus a margin); the log should hold the usual week, not an attack.
 */
export function planDemands(demand: Demand, limit: RateLimit): PlanDemand[] {
  return [...new Set(demand.plans)].flatMap((plan) => {
    const amount = amountFor(limit, plan);
    const bucket = bucketOf(limit, amount);
    if (amount === null || amount === "unlimited" || bucket === null) return [];
    return [planDemand(ofPlan(demand, plan), { plan, limit, amount, bucket })];
  });
}

type Of = { plan: string; limit: RateLimit; amount: PlanDemand["limit"]; bucket: BucketLimit };

function planDemand(demand: Demand, { plan, limit, amount, bucket }: Of): PlanDemand {
  const seconds = windowSecondsOf(bucket, demand.startMs);
  const peaks = percentilesOf(peaksOf(demand, seconds * 1000));
  const needed = percentilesOf(neededOf(demand, () => bucket));
  const proposed = proposeLimit(demand, { limit, amount, peak: peaks.p99 });
  return {
    plan,
    limit: amount,
    windowSeconds: seconds,
    buckets: demand.clients.length,
    peaks,
    needed,
    estimate: rowOf(demand, bucket),
    proposed: { limit: proposed, estimate: rowOf(demand, bucketOf(limit, proposed)) },
  };
}

function proposeLimit(
  demand: Demand,
  { limit, amount, peak }: { limit: RateLimit; amount: PlanDemand["limit"]; peak: number },
): PlanDemand["limit"] {
  if (!("per" in amount)) return amount;
  const { per } = amount;
  if (!("burst" in amount)) {
    const { p99 } = percentilesOf(neededOf(demand, () => bucketOf(limit, amount)));
    return { rate: withMargin(p99, WINDOW_MAX), per };
  }
  const rate = withMargin(peak, RATE_MAX);
  const bucket = bucketOf(limit, { rate, per, burst: rate });
  const { p99 } = percentilesOf(neededOf(demand, () => bucket));
  return { rate, per, burst: withMargin(p99, RATE_MAX) };
}

/** Up to two digits, so that it reads as a limit: 137.5 is 140. */
function withMargin(value: number, max: number): number {
  const wide = Math.max(1, value * PROPOSAL_MARGIN);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(wide)) - 1);
  return Math.min(max, Math.ceil(wide / unit) * unit);
}

function rowOf(demand: Demand, bucket: BucketLimit | null): EstimateRow {
  const { requests, rejections, clients, clientsRejected } = estimateLimit(demand, () => bucket);
  return { requests, rejections, clients, clientsRejected };
}

/** Of a token bucket the interval of its rate. */
function windowSecondsOf(bucket: BucketLimit, atMs: number): number {
  if (bucket.algorithm === "token-bucket") return bucket.perSeconds;
  return windowSeconds(bucket, atMs * 1000) ?? 1;
}

/** The buckets of one plan, numbered anew. */
function ofPlan(demand: Demand, plan: string): Demand {
  if (demand.plans.every((one) => one === plan)) return demand;
  const buckets = [...demand.plans.keys()].filter((bucket) => demand.plans[bucket] === plan);
  const entries = buckets.map(
    (bucket) => [demand.starts[bucket] ?? 0, demand.starts[bucket + 1] ?? 0] as const,
  );
  const size = entries.reduce((sum, [first, end]) => sum + end - first, 0);
  const tick = new Uint32Array(size);
  const requests = new Uint32Array(size);
  const tokens = new Float64Array(size);
  const starts = new Uint32Array(buckets.length + 1);
  let at = 0;
  for (const [i, [first, end]] of entries.entries()) {
    tick.set(demand.tick.subarray(first, end), at);
    requests.set(demand.requests.subarray(first, end), at);
    tokens.set(demand.tokens.subarray(first, end), at);
    at += end - first;
    starts[i + 1] = at;
  }
  const clients = buckets.map((bucket) => demand.clients[bucket] ?? "");
  return { ...demand, clients, plans: clients.map(() => plan), starts, tick, requests, tokens };
}
