import type { ClientBucketRow } from "@/lib/core/api/clients";
import { type ClientBucket, clientBuckets, viewBucket } from "@/lib/core/client-buckets";
import type { ClientOverride, KnownClient } from "@/lib/core/client-rules";
import { bucketKey } from "@/lib/core/state-key";
import type { CounterValue } from "@/lib/redis/counters";
import type { Ctx } from "./context";
import type { LoadedVersion } from "./live-version";

/** Asked for at once. More templates than this by several rules are read in turns. */
const KEYS_AT_ONCE = 200;

export type LiveBucket = ClientBucket & { key: string; row: ClientBucketRow; isKept: boolean };

/** A client's buckets as they are now. Nothing is spent. Throws `unavailable` when their Redis does not answer. */
export async function liveBuckets(
  ctx: Ctx,
  { body }: Pick<LoadedVersion, "body">,
  { known, overrides }: { known: KnownClient; overrides: readonly ClientOverride[] },
): Promise<LiveBucket[]> {
  const { buckets } = clientBuckets(body, known, overrides);
  const named = buckets.map((bucket) => ({ bucket, key: keyOf(ctx.environment, bucket) }));
  const keys = [...new Set(named.map(({ key }) => key))];
  const inFlight = new Set(named.flatMap(({ bucket, key }) => (isInFlight(bucket) ? [key] : [])));
  const values = new Map<string, CounterValue>();
  for (let first = 0; first < keys.length; first += KEYS_AT_ONCE) {
    const some = keys.slice(first, first + KEYS_AT_ONCE);
    const found = await ctx
      .counters()
      .read(some.map((key) => ({ key, inFlight: inFlight.has(key) })));
    for (const [i, value] of found.entries()) values.set(some[i] ?? "", value);
  }
  return named.flatMap(({ bucket, key }): LiveBucket[] => {
    const value = values.get(key);
    if (value === undefined) return [];
    const { isKept, ...view } = viewBucket(bucket, value, value.nowUs);
    return [{ ...bucket, key, isKept, row: { ...rowOf(bucket), ...view } }];
  });
}

/** Those worth a line: of a combination with route, only where something is counted. */
export function shownBuckets(buckets: readonly LiveBucket[]): ClientBucketRow[] {
  return buckets.filter(({ route, isKept }) => route === null || isKept).map(({ row }) => row);
}

export function isInFlight({ limit }: Pick<ClientBucket, "limit">): boolean {
  return limit.algorithm === "concurrency";
}

function keyOf(environment: string, bucket: ClientBucket): string {
  return bucketKey(environment, { ...bucket, isAlone: isInFlight(bucket) });
}

function rowOf(bucket: ClientBucket) {
  const { rule, name, lane, mode, principal, isShared, route, words } = bucket;
  const isConcurrency = isInFlight(bucket);
  return { rule, name, lane, mode, principal, isShared, route, limit: words, isConcurrency };
}
