import { tokenBucket } from "./bucket";
import type { BucketLimit } from "./bucket-limit";
import { durationSeconds } from "./duration";
import { fixedWindow } from "./fixed-window";
import { type Amount, amountFor, amountsOf, fitsLimit, isShedder, type Limit } from "./limit";
import { ANONYMOUS_PLAN } from "./plan";
import { slidingWindow } from "./sliding-window";

/** The bucket of a plan; null = not limited. `isKnown`: the version has this plan. */
export type PlanLimits = (plan: string, isKnown: boolean) => BucketLimit | null;

/** A limit's amounts as buckets. A plan that the version no longer has gets `default`, even if the rule names it. */
export function compileLimit(limit: Limit): PlanLimits {
  const amounts = amountsOf(limit);
  const named = new Map<string, BucketLimit | null>();
  for (const plan of Object.keys(amounts.perPlan))
    named.set(plan, bucketOf(limit, amountFor(limit, plan)));
  if (!named.has(ANONYMOUS_PLAN)) {
    named.set(ANONYMOUS_PLAN, bucketOf(limit, amountFor(limit, ANONYMOUS_PLAN)));
  }
  const fallback = bucketOf(limit, amounts.default ?? null);
  return (plan, isKnown) => {
    const bucket = isKnown || plan === ANONYMOUS_PLAN ? named.get(plan) : undefined;
    return bucket === undefined ? fallback : bucket;
  };
}

/**
 * An amount's bucket under a limit, made once for each pair of objects; null when there is nothing to limit, or the
 * amount is of another form than the limit's kind has.
 */
export function bucketOf(limit: Limit, amount: Amount | null): BucketLimit | null {
  if (amount === null || amount === "unlimited") return null;
  let known = buckets.get(limit);
  if (known === undefined) {
    known = new WeakMap();
    buckets.set(limit, known);
  }
  const held = known.get(amount);
  if (held !== undefined) return held;
  const bucket = makeBucket(limit, amount);
  known.set(amount, bucket);
  return bucket;
}

const buckets = new WeakMap<Limit, WeakMap<object, BucketLimit | null>>();

function makeBucket(limit: Limit, amount: Exclude<Amount, "unlimited">): BucketLimit | null {
  if (isShedder(limit) || !fitsLimit(limit, amount)) return null;
  if ("concurrent" in amount) {
    const leaseSeconds = limit.kind === "concurrency" ? (durationSeconds(limit.lease) ?? 1) : 1;
    return { algorithm: "concurrency", quota: amount.concurrent, leaseSeconds };
  }
  if ("burst" in amount) return tokenBucket(amount);
  if (limit.kind === "rate" && limit.algorithm === "fixed-window")
    return fixedWindow(amount, limit.timeZone);
  return slidingWindow(amount);
}
