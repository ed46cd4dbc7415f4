import { tokenBucket } from "@/lib/core/bucket";
import type { BucketLimit } from "@/lib/core/bucket-limit";
import type { CheckDecision, CheckRule } from "@/lib/core/check";
import { fixedWindow } from "@/lib/core/fixed-window";
import type { Rate } from "@/lib/core/limit";
import type { StateRecord } from "@/lib/core/record";
import { slidingWindow } from "@/lib/core/sliding-window";

export const SECOND_US = 1_000_000;
/** In the past, so that a Redis never drops a key by its own clock before the test does by its. */
export const START_US = 1_700_000_000_000_000;

export type RuleInput = {
  id: string;
  principal?: string;
  slot?: number;
} & ({ amount: Rate } | { limit: BucketLimit }) &
  Partial<Pick<CheckRule, "role" | "cost" | "op" | "takenUs" | "lend">>;

/** What the parts of the suite need of it. */
export type Suite = {
  rule(input: RuleInput): CheckRule;
  /** Seconds from START_US. Each request in flight has a name of its own. */
  checkAt(seconds: number, ...rules: CheckRule[]): Promise<CheckDecision>;
  /** The same for a request in flight of this name. */
  checkAs(leaseId: string, seconds: number, ...rules: CheckRule[]): Promise<CheckDecision>;
  recordsOf(key: string): Promise<readonly StateRecord[]>;
};

/** START_US is 22:13:20 UTC: a minute begins 40 s after it. */
export const MINUTE_AT = 40;

/** One limit of each kind that lets `quota` requests through at once, and of which nothing comes back within minutes. */
export const EACH_KIND: [kind: string, limit: (quota: number) => BucketLimit][] = [
  ["token bucket", (quota) => tokenBucket({ rate: 1, per: "1h", burst: quota })],
  ["sliding window", (quota) => slidingWindow({ rate: quota, per: "1h" })],
  ["fixed window", (quota) => fixedWindow({ rate: quota, per: "1h" }, "UTC")],
  ["concurrency", (quota) => ({ algorithm: "concurrency", quota, leaseSeconds: 3600 })],
];

export const EACH_RATE = EACH_KIND.filter(([kind]) => kind !== "concurrency");

/** Of one binding rule, as `[verdict, remaining, retryAfterMs]`. */
export function told({ verdict, binding }: CheckDecision): unknown[] {
  return verdict === "allowed"
    ? [verdict, binding?.remaining]
    : [verdict, binding?.remaining, binding?.retryAfterMs];
}

/** Numbers 0..1, spread evenly, the same in every run. */
export function phases(seed: number): () => number {
  let n = seed;
  return () => {
    n += 1;
    return (n * 0.618_033_988_749_895) % 1;
  };
}
