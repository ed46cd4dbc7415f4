import type { Demand } from "./backtest-demand";
import { type LimitOfPlan, walkDemand } from "./backtest-walk";
import { remainingOf, takeInPlace } from "./bucket-limit";

export type EstimateRow = {
  requests: number;
  rejections: number;
  clients: number;
  /** Clients that lie above the limit: it refuses at least one of their requests. */
  clientsRejected: number;
};

/** What a limit would refuse if no other rule refused anything. */
export type LimitEstimate = EstimateRow & {
  /** rejections / requests, 0..1. */
  share: number;
  byPlan: (EstimateRow & { plan: string })[];
};

/** Doubles that should be whole may be a little below it. */
const ROUNDING = 1e-9;

/**
 * Estimates what other limits would refuse, from what was asked by tick. Milliseconds for 10,000 clients. Refusals of
 * other rules and the order within a tick are left out: docs/backtest.md has the error, measured.
 */
export function estimateLimit(demand: Demand, limitOf: LimitOfPlan): LimitEstimate {
  const rejectedOf = new Float64Array(demand.clients.length);
  walkDemand(demand, limitOf, ({ bucket, state, limit, nowUs, requests, cost }) => {
    const fits = Math.floor(remainingOf(state, limit, nowUs) / cost + ROUNDING);
    const admitted = Math.min(requests, fits);
    if (admitted > 0) takeInPlace(state, limit, admitted * cost);
    rejectedOf[bucket] = (rejectedOf[bucket] ?? 0) + requests - admitted;
  });
  return sumUp(demand, rejectedOf);
}

type Sums = { requests: number; rejections: number; clients: Set<string>; hit: Set<string> };

function sumUp(demand: Demand, rejectedOf: Float64Array): LimitEstimate {
  const total = newSums();
  const plans = new Map<string, Sums>();
  for (const [bucket, client] of demand.clients.entries()) {
    let requests = 0;
    const end = demand.starts[bucket + 1] ?? 0;
    for (let i = demand.starts[bucket] ?? 0; i < end; i += 1) requests += demand.requests[i] ?? 0;
    const plan = demand.plans[bucket] ?? "";
    const ofPlan = plans.get(plan) ?? newSums();
    plans.set(plan, ofPlan);
    for (const sums of [total, ofPlan]) {
      sums.requests += requests;
      sums.rejections += rejectedOf[bucket] ?? 0;
      sums.clients.add(client);
      if ((rejectedOf[bucket] ?? 0) > 0) sums.hit.add(client);
    }
  }
  return {
    ...rowOf(total),
    share: total.requests === 0 ? 0 : total.rejections / total.requests,
    byPlan: [...plans].map(([plan, sums]) => ({ plan, ...rowOf(sums) })),
  };
}

function newSums(): Sums {
  return { requests: 0, rejections: 0, clients: new Set(), hit: new Set() };
}

function rowOf({ requests, rejections, clients, hit }: Sums): EstimateRow {
  return { requests, rejections, clients: clients.size, clientsRejected: hit.size };
}
