import { durationSeconds } from "./duration";
import type { Rate } from "./limit";
import { MICRO } from "./micro";

// Tokens are kept as whole micro-tokens, so that a slow rate still credits exactly.
export { MICRO };

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

/** Life of a lease, and length of the generations in which tokens out on leases are summed. */
export const LEASE_US = 1_000_000;

/**
 * Micro-tokens out on leases, summed by the second of Redis's clock in which they were granted: those of this
 * `generation` and of the one before. A lease ends before the next but one begins, so older ones are nobody's.
 */
export type Leases = { generation: number; current: number; previous: number };

/** What is kept of one bucket of any kind. */
export type BucketState = {
  /** Token bucket: whole micro-tokens, 0..capacity. Windows: used in the window at `timeUs`. Concurrency: requests in flight. */
  level: number;
  /** Token bucket: the instant up to which refill was credited; the rest of a period is not lost. Windows: their start. */
  timeUs: number;
  /** Sliding window: used in the window before. */
  previous: number;
  /** Token bucket: refill stops at the capacity minus what is out. */
  leases: Leases | null;
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
  return { level: bucket.capacity, timeUs: nowUs, previous: 0, leases: null };
}

/**
 * Credits what came in since `timeUs`. Exact: n = floor(elapsed / periodUs) periods credit n * gain and move
 * the time n * periodUs; n >= ceil(missing / gain) means full and time = now, so no product passes 2^53.
 * A level above the capacity (a lowered limit) is clipped; a raised limit never tops up.
 */
export function refill(state: BucketState, bucket: TokenBucket, nowUs: number): BucketState {
  const { level, timeUs, previous, leases } = state;
  const copy: BucketState = { level, timeUs, previous, leases };
  refillInPlace(copy, bucket, nowUs);
  return copy;
}

/** As `refill`, in the state itself. */
export function refillInPlace(state: BucketState, bucket: TokenBucket, nowUs: number): void {
  if (state.leases !== null) state.leases = presentLeases(state.leases, nowUs);
  const ceiling = ceilingOf(bucket, state.leases);
  const timeUs = state.timeUs > nowUs + CLOCK_LEAD_MAX_US ? nowUs : state.timeUs;
  state.previous = 0;
  const missing = ceiling - state.level;
  if (missing <= 0) {
    state.level = ceiling;
    state.timeUs = Math.max(timeUs, nowUs);
    return;
  }
  const periods = timeUs < nowUs ? Math.floor((nowUs - timeUs) / bucket.periodUs) : 0;
  if (periods >= Math.ceil(missing / bucket.gain)) {
    state.level = ceiling;
    state.timeUs = nowUs;
    return;
  }
  state.level += periods * bucket.gain;
  state.timeUs = timeUs + periods * bucket.periodUs;
}

function ceilingOf(bucket: TokenBucket, leases: Leases | null): number {
  const out = leases === null ? 0 : leases.current + leases.previous;
  return Math.max(0, bucket.capacity - out);
}

/** Null when none is out any more. */
function presentLeases(leases: Leases, nowUs: number): Leases | null {
  const generation = Math.floor(nowUs / LEASE_US);
  const age = generation - leases.generation;
  // A clock that was set back: what is out stays out.
  if (age <= 0) return leases;
  if (age > 1 || leases.current === 0) return null;
  return { generation, current: 0, previous: leases.current };
}

/** Takes `cost` micro-tokens from a refilled state that has them. */
export function spend(state: BucketState, cost: number): BucketState {
  return { ...state, level: state.level - cost };
}

/** Gives micro-tokens back, as far as there is room. */
export function giveBack(state: BucketState, bucket: TokenBucket, amount: number): BucketState {
  return { ...state, level: Math.min(ceilingOf(bucket, state.leases), state.level + amount) };
}

/** Takes `amount` micro-tokens, that a refilled state has, and notes them as out on a lease granted now. */
export function lend(state: BucketState, nowUs: number, amount: number): BucketState {
  const generation = Math.floor(nowUs / LEASE_US);
  const { current, previous } = state.leases ?? { current: 0, previous: 0 };
  const leases = {
    generation: Math.max(generation, state.leases?.generation ?? 0),
    previous,
    current: current + amount,
  };
  return { ...state, level: state.level - amount, leases };
}

/**
 * Takes off the leases what their holders say is spent, in micro-tokens, each token at most once, by the second in
 * which it was granted: `spent.current` in that of `spent.generation`. After the refill, not before: what was out
 * until now was no room to fill.
 */
export function settleLeases(state: BucketState, spent: Leases): BucketState {
  const { leases } = state;
  if (leases === null) return state;
  const age = leases.generation - spent.generation;
  const ofCurrent = age === 0 ? spent.current : 0;
  const ofPrevious = age === 0 ? spent.previous : age === 1 ? spent.current : 0;
  const current = Math.max(0, leases.current - ofCurrent);
  const previous = Math.max(0, leases.previous - ofPrevious);
  const isNone = current === 0 && previous === 0;
  return { ...state, leases: isNone ? null : { ...leases, current, previous } };
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

/** The instant (µs) at which a state with nothing spent any more is full again, and no lease is out. */
export function fullAtUs(state: BucketState, bucket: TokenBucket): number {
  const fullUs =
    state.timeUs + Math.ceil((bucket.capacity - state.level) / bucket.gain) * bucket.periodUs;
  return state.leases === null
    ? fullUs
    : Math.max(fullUs, (state.leases.generation + 2) * LEASE_US);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
