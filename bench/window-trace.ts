import type { Random } from "@/lib/testing/random";

/** When one client asks, µs since 1970, rising. */
export type Arrivals = readonly number[];

export type TraceShape = { clients: number; requests: number; seconds: number; random: Random };

export type FloodShape = {
  clients: number;
  /** Requests a second, at least and at most. */
  perSecond: readonly [number, number];
  seconds: number;
  random: Random;
};

const MICRO = 1_000_000;
const START_US = 1_700_000_000 * MICRO;
/** A client that asks more often is several users behind one key or address. */
const USER_PER_SECOND = 0.05;
/** Mean of a Pareto of 2.43, rounded down: zeta(2.43). */
const PAGE_MEAN = 1.36;
/** Mean of a Weibull of 0.382, 1.46 s. */
const GAP_MEAN = 5.5;

/**
 * About `requests`, client by client. Their shares are Zipf's with exponent 0.8, so that a tenth of them ask for some
 * two thirds (Arlitt and Williamson, "Internet web servers: workload characterization", 1997, found more still; the
 * busiest of the site log's 1,753 clients fits 0.8). Each user asks as SURGE does (Barford and Crovella, SIGMETRICS
 * 1998): a page of Pareto(2.43) requests that are Weibull(0.382, 1.46 s) apart, then a pause of Pareto(1.5).
 */
export function* webTrace({ clients, requests, seconds, random }: TraceShape): Generator<Arrivals> {
  const weights = Array.from({ length: clients }, (_, rank) => (rank + 1) ** -0.8);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  for (const weight of weights) {
    const perSecond = (requests * weight) / total / seconds;
    const users = Math.ceil(perSecond / USER_PER_SECOND);
    const arrivals: number[] = [];
    for (let user = 0; user < users; user += 1)
      ask({ arrivals, perSecond: perSecond / users, seconds, random });
    yield arrivals.sort((a, b) => a - b);
  }
}

function ask({
  arrivals,
  perSecond,
  seconds,
  random,
}: Pick<TraceShape, "seconds" | "random"> & { arrivals: number[]; perSecond: number }): void {
  const cycle = PAGE_MEAN / perSecond;
  const pauseMean = Math.max(1, cycle - (PAGE_MEAN - 1) * GAP_MEAN);
  let at = -random() * cycle;
  while (at < seconds) {
    const page = Math.floor(pareto(1, 2.43, random));
    for (let i = 0; i < page && at < seconds; i += 1) {
      if (i > 0) at += 1.46 * (-Math.log(1 - random())) ** (1 / 0.382);
      if (at >= 0 && at < seconds) arrivals.push(START_US + Math.floor(at * MICRO));
    }
    at += pareto(pauseMean / 3, 1.5, random);
  }
}

/** Clients that each once ask at a steady rate far beyond a limit, for half a minute to a minute and a half. */
export function* floodTrace({
  clients,
  perSecond: [least, most],
  seconds,
  random,
}: FloodShape): Generator<Arrivals> {
  for (let client = 0; client < clients; client += 1) {
    const perSecond = least * (most / least) ** random();
    const lasts = 30 + random() * 60;
    const start = random() * (seconds - lasts);
    const arrivals: number[] = [];
    for (let at = start; at < start + lasts; at += exponential(perSecond, random))
      arrivals.push(START_US + Math.floor(at * MICRO));
    yield arrivals;
  }
}

function exponential(perSecond: number, random: Random): number {
  return -Math.log(1 - random()) / perSecond;
}

/** From `least` on; its mean is least * shape / (shape - 1). */
function pareto(least: number, shape: number, random: Random): number {
  return least * (1 - random()) ** (-1 / shape);
}
