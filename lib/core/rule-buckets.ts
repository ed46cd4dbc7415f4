import { type GlobNode, globValue, newGlobNode } from "./glob-trie";
import { compilePrefixes, type Network, type PrefixTable } from "./ip-ranges";
import type { Conditions } from "./rule-conditions";
import { countKeys, keysBesideMethod, type RuleKey, rarestKey, sizeOf } from "./rule-keys";
import type { Steps } from "./steps";

export type Entry<T> = {
  indexed: { item: T; position: number; seenBy: number };
  /** What finding it here does not say already. */
  remaining: Conditions;
};

/** Entries to test one by one, and such as lie deeper. A search opens it once. */
export type Bucket<T> = { entries: Entry<T>[]; split: Split<T> | null; seenBy: number };

/** Buckets by the values of a request; null: no rule is found by this here. */
export type Split<T> = {
  methods: Map<number, Bucket<T>> | null;
  authenticated: Map<boolean, Bucket<T>> | null;
  plans: Map<string, Bucket<T>> | null;
  headers: readonly HeaderBuckets<T>[];
  /** The same by name, where a request's own names are fewer. */
  manyHeaders: ReadonlyMap<string, HeaderBuckets<T>> | null;
  globs: GlobNode<Bucket<T>> | null;
  networks: PrefixTable<Bucket<T>> | null;
};

export type HeaderBuckets<T> = { name: string; any: Bucket<T>; values: Map<string, Bucket<T>> };

/** A bucket of more is split by a second condition, if that leaves at most half of it to test. */
const SPLIT_ABOVE = 6;
/** Header names that are looked up one by one; a request has some ten to twenty. */
const HEADERS_LISTED = 12;
/**
 * Values that splitting may look at in one compile; what is left then is tested one by one. Few rule sets come near:
 * it is for rules of a hundred plans by a hundred networks each.
 */
const VALUES_MAX = 20_000;

export function* splitRules<T extends { conditions: Conditions; keys: readonly RuleKey[] }>(
  items: readonly T[],
): Steps<Split<T>> {
  const counts = yield* countKeys(items.map(({ keys }) => keys));
  const draft = newDraft<T>();
  for (const [position, item] of items.entries()) {
    const entry = { indexed: { item, position, seenBy: 0 }, remaining: item.conditions };
    const rarest = rarestKey(item.keys, counts);
    if (rarest !== null) place(draft, rarest.key, entry);
    yield;
  }
  yield* splitFurther(draft, { values: 0 });
  return splitOf(draft);
}

function* splitFurther<T>({ buckets }: Draft<T>, total: { values: number }): Steps<void> {
  for (const bucket of buckets) {
    yield;
    const { entries } = bucket;
    if (entries.length <= SPLIT_ABOVE) continue;
    for (const { remaining } of entries) total.values += sizeOf(remaining);
    if (total.values > VALUES_MAX) return;
    const keys = entries.map(({ remaining }) => keysBesideMethod(remaining));
    const counts = yield* countKeys(keys);
    const draft = newDraft<T>();
    const left: Entry<T>[] = [];
    for (const [i, entry] of entries.entries()) {
      const rarest = rarestKey(keys[i] ?? [], counts);
      if (rarest === null || rarest.count > entries.length / 2) left.push(entry);
      else place(draft, rarest.key, entry);
    }
    if (left.length === entries.length) continue;
    bucket.entries = left;
    yield* splitFurther(draft, total);
    bucket.split = splitOf(draft);
  }
}

type Draft<T> = {
  methods: Map<number, Bucket<T>>;
  authenticated: Map<boolean, Bucket<T>>;
  plans: Map<string, Bucket<T>>;
  headers: Map<string, HeaderBuckets<T>>;
  globs: GlobNode<Bucket<T>>;
  hasGlobs: boolean;
  networks: Map<string, Network & { value: Bucket<T> }>;
  buckets: Set<Bucket<T>>;
};

function newDraft<T>(): Draft<T> {
  return {
    methods: new Map(),
    authenticated: new Map(),
    plans: new Map(),
    headers: new Map(),
    globs: newGlobNode(),
    hasGlobs: false,
    networks: new Map(),
    buckets: new Set(),
  };
}

function splitOf<T>(draft: Draft<T>): Split<T> {
  return {
    methods: draft.methods.size > 0 ? draft.methods : null,
    authenticated: draft.authenticated.size > 0 ? draft.authenticated : null,
    plans: draft.plans.size > 0 ? draft.plans : null,
    headers: [...draft.headers.values()],
    manyHeaders: draft.headers.size > HEADERS_LISTED ? draft.headers : null,
    globs: draft.hasGlobs ? draft.globs : null,
    networks: draft.networks.size > 0 ? compilePrefixes(draft.networks.values()) : null,
  };
}

/** Puts an entry in the bucket of each value of its key. */
function place<T>(draft: Draft<T>, key: RuleKey, { indexed }: Entry<T>): void {
  const buckets = bucketsOf(draft, key);
  const entry = { indexed, remaining: key.remaining };
  for (const bucket of buckets) {
    bucket.entries.push(entry);
    // Found by method is what no other condition told apart.
    if (key.by !== "method") draft.buckets.add(bucket);
  }
}

function bucketsOf<T>(draft: Draft<T>, key: RuleKey): Bucket<T>[] {
  switch (key.by) {
    case "method":
      return key.bits.map((bit) => at(draft.methods, bit, newBucket<T>));
    case "authenticated":
      return [at(draft.authenticated, key.authenticated, newBucket<T>)];
    case "plan":
      return [...key.plans].map((plan) => at(draft.plans, plan, newBucket<T>));
    case "header": {
      const { name, values } = key.header;
      const ofName = at(draft.headers, name, () => newHeaderBuckets<T>(name));
      if (values === null) return [ofName.any];
      return [...values].map((value) => at(ofName.values, value, newBucket<T>));
    }
    case "route":
      draft.hasGlobs = true;
      return key.shapes.map((shape) => globValue(draft.globs, shape, newBucket<T>));
    case "ip":
      return key.networks.map((network) => {
        const ofNetwork = () => ({ ...network, value: newBucket<T>() });
        return at(draft.networks, network.text, ofNetwork).value;
      });
  }
}

function at<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function newBucket<T>(): Bucket<T> {
  return { entries: [], split: null, seenBy: 0 };
}

function newHeaderBuckets<T>(name: string): HeaderBuckets<T> {
  return { name, any: newBucket(), values: new Map() };
}
