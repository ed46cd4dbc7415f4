import { durationSeconds } from "./duration";
import type { Rate } from "./limit";

/** Tokens are kept as whole micro-tokens, so that a slow rate still credits exactly. */
export const MICRO = 1_000_000;
/** A record this far ahead of the clock is a clock fault: its time is given up and nothing is credited. */
export const CLOCK_LEAD_MAX_US = 5_000_000;

/**
 * A token bucket as the arithmetic needs it. Refill is `gain` micro-tokens each `periodUs`, the fraction
 * rate/per reduced: rate tokens per `per` seconds = rate/per micro-tokens per µs. gain <= 1e9, periodUs <= 2.6e6.
 */
export type TokenBucket = {
  algorithm: "token-bucket";
  /** As the rule says, for headers: tokens per `perSeconds`, and the most that can be saved up. */
  rate: number;
  perSeconds: number;
  burst: number;
  gain: number;
  periodUs: number;
  /** burst in micro-tokens, <= 1e15. */
  capacity: number;
};

/** `timeUs` is the instant up to which refill was credited; the rest of a period is not lost. */
export type BucketState = {
  /** Whole micro-tokens, 0..capacity. */
  level: number;
  timeUs: number;
  /** Micro-tokens out on leases: refill stops at capacity - outstanding. */
  outstanding: number;
};

export function tokenBucket({ rate, per, burst }: Rate): TokenBucket {
  const perSeconds = durationSeconds(per) ?? 1;
  return bucketOf(rate, perSeconds, burst);
}

/**
 * One gateway's share of a bucket while Redis is away: 1/`gateways` of rate and burst, the burst at least what one
 * request takes (where the whole has it). So a fleet of n admits at most n at once where the burst is below n.
 */
export function shareOfBucket(bucket: TokenBucket, gateways: number, cost = 1): TokenBucket {
  if (gateways <= 1) return bucket;
  const atLeast = Math.min(cost, bucket.burst);
  const burst = Math.max(atLeast, Math.floor(bucket.burst / gateways));
  return {
    ...bucketOf(bucket.rate, bucket.perSeconds * gateways, burst),
    perSeconds: bucket.perSeconds * gateways,
  };
}

function bucketOf(rate: number, perSeconds: number, burst: number): TokenBucket {
  const divisor = greatestCommonDivisor(rate, perSeconds);
  return {
    algorithm: "token-bucket",
    rate,
    perSeconds,
    burst,
    gain: rate / divisor,
    periodUs: perSeconds / divisor,
    capacity: burst * MICRO,
  };
}

/** A bucket never seen, or forgotten because it was full. */
export function fullBucket(bucket: TokenBucket, nowUs: number): BucketState {
  return { level: bucket.capacity, timeUs: nowUs, outstanding: 0 };
}

/**
 * Credits what came in since `timeUs`. Exact: n = floor(elapsed / periodUs) periods credit n * gain and move
 * the time n * periodUs; n >= ceil(missing / gain) means full and time = now, so no product passes 2^53.
 * A level above the capacity (a lowered limit) is clipped; a raised limit never tops up.
 */
export function refill(state: BucketState, bucket: TokenBucket, nowUs: number): BucketState {
  const { outstanding } = state;
  const ceiling = Math.max(0, bucket.capacity - outstanding);
  let timeUs = state.timeUs;
  if (timeUs > nowUs + CLOCK_LEAD_MAX_US) timeUs = nowUs;
  const missing = ceiling - state.level;
  if (missing <= 0) return { level: ceiling, timeUs: Math.max(timeUs, nowUs), outstanding };
  const periods = timeUs < nowUs ? Math.floor((nowUs - timeUs) / bucket.periodUs) : 0;
  if (periods >= Math.ceil(missing / bucket.gain))
    return { level: ceiling, timeUs: nowUs, outstanding };
  return {
    level: state.level + periods * bucket.gain,
    timeUs: timeUs + periods * bucket.periodUs,
    outstanding,
  };
}

/** Takes `cost` micro-tokens from a refilled state that has them. */
export function spend(state: BucketState, cost: number): BucketState {
  return { ...state, level: state.level - cost };
}

/** µs from now until a refilled state holds `wanted` micro-tokens; 0 if it does, Infinity if it never can. */
export function waitUs(
  state: BucketState,
  bucket: TokenBucket,
  nowUs: number,
  wanted: number,
): number {
  if (state.level >= wanted) return 0;
  if (wanted > bucket.capacity) return Number.POSITIVE_INFINITY;
  const periods = Math.ceil((wanted - state.level) / bucket.gain);
  return Math.max(1, state.timeUs + periods * bucket.periodUs - nowUs);
}

/** The instant (µs) at which a state with nothing spent any more is full again. */
export function fullAtUs(state: BucketState, bucket: TokenBucket): number {
  return state.timeUs + Math.ceil((bucket.capacity - state.level) / bucket.gain) * bucket.periodUs;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
