import type { LimiterRule } from "./state-key";

/** One text for each bucket. */
export function bucketName({ key, slot }: Pick<LimiterRule, "key" | "slot">): string {
  return `${slot} ${key}`;
}

/** Whether a bucket is a principal's, whose plain buckets stand under `stateKey`. */
export function isBucketOf(name: string, stateKey: string): boolean {
  const at = name.indexOf(" ") + 1;
  return name.startsWith(stateKey, at);
}
