import { type TokenBucket, tokenBucket } from "./bucket";
import { type Amount, amountFor, type Limit } from "./limit";
import { ANONYMOUS_PLAN } from "./plan";

/** The bucket of a plan; null = not limited. `isKnown`: the version has this plan. */
export type PlanLimits = (plan: string, isKnown: boolean) => TokenBucket | null;

/** A limit's amounts as buckets. A plan that the version no longer has gets `default`, even if the rule names it. */
export function compileLimit(limit: Limit): PlanLimits {
  const named = new Map<string, TokenBucket | null>();
  for (const plan of Object.keys(limit.perPlan)) named.set(plan, bucketOf(amountFor(limit, plan)));
  if (!named.has(ANONYMOUS_PLAN)) {
    named.set(ANONYMOUS_PLAN, bucketOf(amountFor(limit, ANONYMOUS_PLAN)));
  }
  const fallback = bucketOf(limit.default ?? null);
  return (plan, isKnown) => {
    const bucket = isKnown || plan === ANONYMOUS_PLAN ? named.get(plan) : undefined;
    return bucket === undefined ? fallback : bucket;
  };
}

/** An amount's bucket, made once per amount object; null when there is nothing to limit. */
export function bucketOf(amount: Amount | null): TokenBucket | null {
  if (amount === null || amount === "unlimited") return null;
  const known = buckets.get(amount);
  if (known !== undefined) return known;
  const bucket = tokenBucket(amount);
  buckets.set(amount, bucket);
  return bucket;
}

const buckets = new WeakMap<object, TokenBucket>();
