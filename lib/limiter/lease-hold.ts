import { LEASE_US, type Leases, type TokenBucket } from "@/lib/core/bucket";
import type { RuleOutcome } from "@/lib/core/check";
import { MICRO } from "@/lib/core/micro";
import type { MemoryCounters } from "./memory-counters";
import { newRateMeter, type RateMeter, rateOf } from "./rate-meter";
import type { LimiterRule } from "./state-key";

/**
 * Life of a lease here, from before it was asked for. Redis counts it as out for LEASE_US and longer from when it
 * granted it, so a clock of ours that runs up to 5 % slow still ends it first.
 */
export const LEASE_MS = (LEASE_US / 1000) * 0.95;
/** A lease is what will be used in so long. At half, twice the calls; at twice, more tokens lie with who is idle. */
const AHEAD_MS = 75;
/** Between two calls for a bucket that had less than was asked for; meanwhile it is refused from memory. */
const PAUSE_MS = 30;
/**
 * Nobody takes more of a bucket at once, as what is out is no room to fill; and a pause is at most this part of the time
 * in which it fills, or tokens would overflow meanwhile.
 */
const BURST_SHARE = 1 / 4;

type Grant = {
  left: number;
  untilMs: number;
  /** By the wall clock: a machine that was suspended has a monotonic clock that stood still. */
  untilWallMs: number;
  /** In which its Redis sums it. */
  generation: number;
};

/** What one gateway holds of one bucket. */
export type LeaseHold = {
  limit: TokenBucket;
  meter: RateMeter;
  /** Oldest first. */
  grants: Grant[];
  /** Tokens in them. */
  left: number;
  /** Of the last grant. */
  size: number;
  /** Spent and not yet told, by the second they were granted in; each token is told at most once. */
  spent: Leases;
  isAsking: boolean;
  /** Monotonic ms of the last call for a lease. */
  askedMs: number;
  /** It brought less than was asked for. */
  isShort: boolean;
  /** Whole tokens that Redis had left, and when it said so. */
  known: { remaining: number; atMs: number };
};

export type Now = { nowMs: number; wallMs: number };

export function newHold(limit: TokenBucket, nowMs: number): LeaseHold {
  return {
    limit,
    meter: newRateMeter(nowMs),
    grants: [],
    left: 0,
    size: 0,
    spent: { generation: 0, current: 0, previous: 0 },
    isAsking: false,
    askedMs: Number.NEGATIVE_INFINITY,
    isShort: false,
    known: { remaining: limit.burst, atMs: nowMs },
  };
}

/** Drops what has run out. It stays spent in Redis until that second is over there. */
export function dropExpired(
  hold: LeaseHold,
  { nowMs, wallMs }: Now,
  counters: MemoryCounters,
): void {
  for (let first = hold.grants[0]; first !== undefined; first = hold.grants[0]) {
    if (first.left > 0 && nowMs < first.untilMs && wallMs < first.untilWallMs) return;
    hold.left -= first.left;
    counters.expiredTokens += first.left;
    hold.grants.shift();
  }
}

export function dropAll(hold: LeaseHold, counters: MemoryCounters): void {
  counters.expiredTokens += hold.left;
  hold.left = 0;
  hold.grants = [];
}

/** Takes tokens that are there. */
export function spendLease(hold: LeaseHold, cost: number): void {
  let due = cost;
  for (const grant of hold.grants) {
    const taken = Math.min(due, grant.left);
    grant.left -= taken;
    due -= taken;
    noteSpent(hold.spent, grant.generation, taken);
    if (due === 0) break;
  }
  hold.left -= cost;
  while (hold.grants[0]?.left === 0) hold.grants.shift();
}

function noteSpent(spent: Leases, generation: number, tokens: number): void {
  if (generation > spent.generation) {
    spent.previous = generation === spent.generation + 1 ? spent.current : 0;
    spent.current = 0;
    spent.generation = generation;
  }
  if (generation === spent.generation) spent.current += tokens;
  else if (generation === spent.generation - 1) spent.previous += tokens;
}

/** What to tell Redis now; null for nothing. It counts as told, whatever becomes of the call. */
function takeSpent(hold: LeaseHold): Leases | null {
  const { spent } = hold;
  if (spent.current === 0 && spent.previous === 0) return null;
  hold.spent = { generation: spent.generation, current: 0, previous: 0 };
  return spent;
}

/** After a call that surely changed nothing: the bucket itself had not the cost. */
function untake(hold: LeaseHold, { generation, current, previous }: Leases): void {
  noteSpent(hold.spent, generation, current);
  noteSpent(hold.spent, generation - 1, previous);
}

/** Whether it is time to ask for more. A lease that no such request could be served from would only lie here. */
export function isDue(hold: LeaseHold, cost: number, { nowMs }: Now): boolean {
  if (cost > mostOf(hold.limit)) return false;
  if (!hold.meter.isHot || hold.isAsking || hold.left * 2 > hold.size) return false;
  return !hold.isShort || nowMs >= hold.askedMs + pauseMs(hold.limit);
}

/** Redis had no more, and is not to be asked yet: a request that finds nothing here is refused. */
export function isPaused(hold: LeaseHold, { nowMs }: Now): boolean {
  if (!hold.meter.isHot || !hold.isShort) return false;
  return hold.isAsking || nowMs < hold.askedMs + pauseMs(hold.limit);
}

function pauseMs(limit: TokenBucket): number {
  return Math.min(PAUSE_MS, (BURST_SHARE * limit.burst) / ratePerMs(limit));
}

export type Asking = { hold: LeaseHold; wanted: number; spent: Leases | null };

/** The rule that asks for a lease along with its own cost. */
export function askFor<R extends LimiterRule>(
  rule: R,
  hold: LeaseHold,
  { now, gateways }: { now: Now; gateways: number },
): { rule: R; asking: Asking } {
  const wanted = wantedOf(hold, now, gateways);
  const spent = takeSpent(hold);
  hold.isAsking = true;
  hold.askedMs = now.nowMs;
  return {
    rule: { ...rule, lend: wanted, ...(spent === null ? {} : { spent }) },
    asking: { hold, wanted, spent },
  };
}

/** What will be used soon; near the limit, what is used until the next call may go out, or our part of what is left. */
function wantedOf(hold: LeaseHold, { nowMs }: Now, gateways: number): number {
  const { limit, meter } = hold;
  const rate = rateOf(meter, nowMs);
  const ahead = Math.ceil(rate * AHEAD_MS);
  const known = knownTokens(hold, nowMs);
  const least = Math.ceil(rate * pauseMs(limit));
  const share = Math.floor(known / (2 * Math.max(1, gateways)));
  const wanted = Math.min(ahead, Math.max(least, share));
  return Math.max(1, Math.min(wanted, mostOf(limit)));
}

function mostOf({ burst }: TokenBucket): number {
  return Math.floor(burst * BURST_SHARE);
}

/** Takes the answer, null where Redis did not decide: then a lease that it may have granted is lost until it runs out. */
export function answered(
  { hold, wanted, spent }: Asking,
  outcome: RuleOutcome | null,
  { sent, nowMs, counters }: Answer,
): void {
  hold.isAsking = false;
  if (outcome === null) {
    hold.isShort = false;
    return;
  }
  if (!outcome.allowed && spent !== null) untake(hold, spent);
  const lent = outcome.lent ?? 0;
  hold.isShort = lent < wanted;
  hold.known = { remaining: outcome.remaining, atMs: nowMs };
  if (lent === 0) return;
  counters.leasedTokens += lent;
  hold.size = lent;
  hold.left += lent;
  hold.grants.push({
    left: lent,
    untilMs: sent.nowMs + LEASE_MS,
    untilWallMs: sent.wallMs + LEASE_MS,
    generation: outcome.lentIn ?? 0,
  });
}

export type Answer = { sent: Now; nowMs: number; counters: MemoryCounters };

/** What Redis has by now, if nobody else takes any. */
function knownTokens({ known, limit }: LeaseHold, nowMs: number): number {
  return Math.min(limit.burst, known.remaining + ratePerMs(limit) * (nowMs - known.atMs));
}

/** As if Redis had been asked: what it has by now, and what is held here. */
export function outcomeFromLease(
  { ruleId, role, cost, limit }: LimiterRule,
  hold: LeaseHold,
  { now: { nowMs }, allowed, charged }: { now: Now; allowed: boolean; charged: boolean },
): RuleOutcome {
  const tokens = Math.min(hold.limit.burst, hold.left + knownTokens(hold, nowMs));
  const rate = ratePerMs(hold.limit);
  const waitMs = (wanted: number) => Math.max(0, Math.ceil((wanted - tokens) / rate));
  const isNever = limit.algorithm === "token-bucket" && cost > limit.burst;
  const pausedMs = Math.ceil(hold.askedMs + pauseMs(hold.limit) - nowMs);
  // A refused request is told less than its cost, whatever came in since Redis was asked.
  const most = allowed ? hold.limit.burst : cost - 1;
  const remaining = Math.max(0, Math.min(most, Math.floor(tokens)));
  return {
    ruleId,
    role,
    allowed,
    charged,
    remaining,
    resetMs: remaining >= 1 ? 0 : Math.max(1, waitMs(1)),
    retryAfterMs: allowed ? 0 : isNever ? null : Math.max(1, waitMs(cost), pausedMs),
  };
}

function ratePerMs({ gain, periodUs }: TokenBucket): number {
  return (gain / periodUs) * (1000 / MICRO);
}
