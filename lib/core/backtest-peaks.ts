import type { Demand } from "./backtest-demand";
import { type LimitOfPlan, walkDemand } from "./backtest-walk";
import { type BucketLimit, quotaOf, remainingOf, takeInPlace } from "./bucket-limit";
import { RATE_MAX, WINDOW_MAX } from "./limit";
import { MICRO } from "./micro";

/** Of values over clients; nearest rank, so each is a client's own. */
export type Percentiles = { p50: number; p90: number; p99: number; p999: number; max: number };

/** Sorts `values`. All 0 of none. */
export function percentilesOf(values: Float64Array): Percentiles {
  values.sort();
  const at = (share: number) => values[Math.max(0, Math.ceil(share * values.length) - 1)] ?? 0;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: at(1) };
}

/** By bucket: the most tokens asked for in any interval of `windowMs`, to a tick. */
export function peaksOf(
  { starts, tick, tokens, tickMs, clients }: Demand,
  windowMs: number,
): Float64Array {
  const ticks = Math.max(1, Math.round(windowMs / tickMs));
  const peaks = new Float64Array(clients.length);
  for (let bucket = 0; bucket < clients.length; bucket += 1) {
    const end = starts[bucket + 1] ?? 0;
    let first = starts[bucket] ?? 0;
    let sum = 0;
    let peak = 0;
    for (let i = first; i < end; i += 1) {
      sum += tokens[i] ?? 0;
      for (; (tick[i] ?? 0) - (tick[first] ?? 0) >= ticks; first += 1) sum -= tokens[first] ?? 0;
      if (sum > peak) peak = sum;
    }
    peaks[bucket] = peak;
  }
  return peaks;
}

/**
 * By bucket: the smallest burst (of windows: rate) with which nothing of it would be refused, all else of the limit as
 * it is; to a tick's refill. 0 where it is not limited.
 */
export function neededOf(demand: Demand, limitOf: LimitOfPlan): Float64Array {
  const needed = new Float64Array(demand.clients.length);
  const wide = (plan: string) => {
    const limit = limitOf(plan);
    return limit === null ? null : widened(limit);
  };
  walkDemand(demand, wide, ({ bucket, state, limit, nowUs, requests, cost }) => {
    takeInPlace(state, limit, requests * cost);
    const used = quotaOf(limit) - remainingOf(state, limit, nowUs);
    if (used > (needed[bucket] ?? 0)) needed[bucket] = used;
  });
  return needed;
}

/** The same limit, so wide that nothing is refused. */
function widened(limit: BucketLimit): BucketLimit {
  if (limit.algorithm !== "token-bucket") return { ...limit, quota: WINDOW_MAX };
  return { ...limit, burst: RATE_MAX, capacity: RATE_MAX * MICRO };
}
