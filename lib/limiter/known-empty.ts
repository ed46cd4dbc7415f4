import { type BucketLimit, quotaOf } from "@/lib/core/bucket-limit";
import type { RuleOutcome } from "@/lib/core/check";
import { MICRO } from "@/lib/core/micro";
import { bucketName, isBucketOf } from "./bucket-name";
import type { LimiterOutcome } from "./fallback";
import type { LimiterRule } from "./state-key";

/** About 200 bytes each. */
const ENTRIES_MAX = 100_000;
/**
 * Redis is asked again after this long, however long the wait: another gateway may have given tokens back, or a notice
 * of a reset may be lost. At twice this, such a client waits a second more; at half, a blocked one costs two calls a second.
 */
const KNOWN_MAX_MS = 1_000;
/** More than one, so that forgetting is faster than filling. */
const SWEEP_PER_ENTRY = 2;

/** Of a bucket that Redis said has not the cost. Times are monotonic ms. */
type Entry = {
  limit: BucketLimit;
  cost: number;
  /** From before the check went out: never longer than needed. */
  untilMs: number;
  /** From when the answer came: never too short for who waits for it. */
  retryAtMs: number | null;
  resetAtMs: number;
  remaining: number;
};

export type KnownEmpty = {
  readonly size: number;
  /** What Redis said of rules; `sentMs` is from before it was asked. */
  learn(rules: readonly LimiterRule[], outcomes: readonly LimiterOutcome[], at: Sent): void;
  /** The outcome of a rule whose bucket is known not to have its cost. */
  find(rule: LimiterRule, nowMs: number): RuleOutcome | undefined;
  /** These buckets are getting back what they gave: what was said of them before is not true any more. */
  givenBack(rules: readonly LimiterRule[], nowMs: number): void;
  /** Everything, or what is kept under a principal's state key. */
  forget(nowMs: number, stateKey?: string): void;
};

type Sent = { sentMs: number; receivedMs: number };

/** Buckets that need not be asked before a token can be there. The one refused longest ago goes first; no timers. */
export function createKnownEmpty({
  maxEntries = ENTRIES_MAX,
}: {
  maxEntries?: number;
} = {}): KnownEmpty {
  const entries = new Map<string, Entry>();
  /** When a bucket got something back, by its name, in that order. */
  const givenBackMs = new Map<string, number>();
  let forgottenMs = Number.NEGATIVE_INFINITY;

  function keep(name: string, entry: Entry, nowMs: number): void {
    entries.delete(name);
    let swept = 0;
    for (const [oldest, { untilMs }] of entries) {
      if (swept === SWEEP_PER_ENTRY || (untilMs > nowMs && entries.size < maxEntries)) break;
      entries.delete(oldest);
      swept += 1;
    }
    entries.set(name, entry);
  }

  return {
    get size() {
      return entries.size;
    },
    learn(rules, outcomes, { sentMs, receivedMs }) {
      for (let i = 0; i < rules.length; i += 1) {
        const rule = rules[i];
        const outcome = outcomes[i];
        if (rule === undefined || outcome === undefined || outcome.unasked === true) continue;
        if (outcome.allowed) {
          if (entries.size === 0) continue;
          const name = bucketName(rule);
          const entry = entries.get(name);
          if (entry !== undefined && rule.cost >= entry.cost) entries.delete(name);
          continue;
        }
        const { retryAfterMs, resetMs, remaining } = outcome;
        const untilMs = sentMs + Math.min((retryAfterMs ?? KNOWN_MAX_MS) - 1, KNOWN_MAX_MS);
        // Nobody knows when a request in flight ends.
        if (untilMs <= receivedMs || rule.limit.algorithm === "concurrency") continue;
        // It may have been decided before what made us forget.
        if (sentMs < forgottenMs) continue;
        if (givenBackMs.size > 0 && sentMs < (givenBackMs.get(bucketName(rule)) ?? 0)) continue;
        const { limit, cost } = rule;
        const retryAtMs = retryAfterMs === null ? null : receivedMs + retryAfterMs;
        const resetAtMs = receivedMs + resetMs;
        keep(
          bucketName(rule),
          { limit, cost, untilMs, retryAtMs, resetAtMs, remaining },
          receivedMs,
        );
      }
    },
    find(rule, nowMs) {
      const name = bucketName(rule);
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      // Another limit: a publish, a change of plan, an override.
      if (entry.untilMs <= nowMs || entry.limit !== rule.limit) {
        entries.delete(name);
        return undefined;
      }
      const waitMs = waitOf(entry, rule.cost, nowMs);
      return waitMs === undefined ? undefined : outcomeOf(rule, entry, waitMs, nowMs);
    },
    givenBack(rules, nowMs) {
      for (const [oldest, atMs] of givenBackMs) {
        if (nowMs - atMs < KNOWN_MAX_MS) break;
        givenBackMs.delete(oldest);
      }
      for (const rule of rules) {
        const name = bucketName(rule);
        entries.delete(name);
        givenBackMs.delete(name);
        givenBackMs.set(name, nowMs);
      }
    },
    forget(nowMs, stateKey) {
      forgottenMs = nowMs;
      if (stateKey === undefined) entries.clear();
      else for (const name of entries.keys()) if (isBucketOf(name, stateKey)) entries.delete(name);
    },
  };
}

/** Until `cost` is there, null for never; undefined where that is not known. */
function waitOf(entry: Entry, cost: number, nowMs: number): number | null | undefined {
  const { limit, retryAtMs } = entry;
  if (cost < entry.cost) return undefined;
  if (retryAtMs === null || cost > quotaOf(limit)) return null;
  const left = retryAtMs - nowMs;
  if (cost === entry.cost || limit.algorithm === "fixed-window") return left;
  if (limit.algorithm !== "token-bucket") return undefined;
  const periods = Math.ceil(((cost - entry.cost) * MICRO) / limit.gain);
  return left + (periods * limit.periodUs) / 1000;
}

function outcomeOf(
  { ruleId, role }: LimiterRule,
  { resetAtMs, remaining }: Entry,
  waitMs: number | null,
  nowMs: number,
): RuleOutcome {
  const resetMs = Math.max(0, Math.ceil(resetAtMs - nowMs));
  return {
    ruleId,
    role,
    allowed: false,
    charged: false,
    // By its reset one token is there.
    remaining: resetMs === 0 ? Math.max(1, remaining) : remaining,
    resetMs,
    retryAfterMs: waitMs === null ? null : Math.max(1, Math.ceil(waitMs)),
  };
}
