import { type GlobNode, globValue, newGlobNode, walkGlobs } from "./glob-trie";
import { compilePrefixes, type Network, type PrefixTable } from "./ip-ranges";
import { type Conditions, holds, RequestView } from "./rule-conditions";
import { countKeys, type RuleKey, rarestKey } from "./rule-keys";
import type { RequestFacts } from "./ruleset-index";

type Entry<T> = {
  item: T;
  position: number;
  /** What finding it in its bucket does not say already. */
  remaining: Conditions;
  seenBy: number;
};

type Bucket<T> = { entries: Entry<T>[]; seenBy: number };

type HeaderBuckets<T> = { name: string; any: Bucket<T>; values: Map<string, Bucket<T>> };

type Buckets<T> = {
  methods: Map<number, Bucket<T>>;
  authenticated: Map<boolean, Bucket<T>>;
  plans: Map<string, Bucket<T>>;
  headers: Map<string, HeaderBuckets<T>>;
  globs: GlobNode<Bucket<T>>;
  networks: Map<string, Network & { value: Bucket<T> }>;
};

/** Finds the items whose conditions hold for a request of that method bit, in the order they were given in. */
export type RuleIndex<T> = (facts: RequestFacts, method: number) => T[];

/**
 * Each item lies under the one of its conditions that the fewest others share, in a bucket for each value that the
 * condition takes; a request opens the buckets of its own values and tests what is left of the conditions there.
 */
export function compileRuleIndex<T extends { keys: readonly RuleKey[] }>(
  items: readonly T[],
): RuleIndex<T> {
  const buckets = fill(items);
  const { methods, authenticated, plans, globs } = buckets;
  const headers = [...buckets.headers.values()];
  const networks = compilePrefixes(buckets.networks.values());
  const hasGlobs = globs.under !== null || hasChildren(globs) || globs.here !== null;
  const hasNetworks = buckets.networks.size > 0;
  let searches = 0;
  return (facts, method) => {
    searches += 1;
    const search = searches;
    const view = new RequestView(facts, method);
    const found: Entry<T>[] = [];
    const open = (bucket: Bucket<T> | undefined) => {
      if (bucket === undefined || bucket.seenBy === search) return;
      bucket.seenBy = search;
      for (const entry of bucket.entries) {
        if (entry.seenBy === search) continue;
        entry.seenBy = search;
        if (holds(entry.remaining, view)) insert(found, entry);
      }
    };
    open(methods.get(method));
    if (authenticated.size > 0) open(authenticated.get(facts.identity.authenticated));
    if (plans.size > 0) open(plans.get(facts.identity.plan));
    if (hasGlobs && facts.path.startsWith("/")) walkGlobs(globs, view.segments(), 0, open);
    if (hasNetworks) openNetworks(networks, view, open);
    for (const { name, any, values } of headers) {
      const value = facts.header(name);
      if (value === undefined) continue;
      open(any);
      open(values.get(value));
    }
    return found.map((entry) => entry.item);
  };
}

function openNetworks<T>(
  networks: PrefixTable<Bucket<T>>,
  view: RequestView,
  open: (bucket: Bucket<T>) => void,
): void {
  let node = networks.find(view.address());
  while (node !== null) {
    open(node.value);
    node = node.parent;
  }
}

/** From the end, where a list found in order puts each: few rules apply to one request. */
function insert<T>(found: Entry<T>[], entry: Entry<T>): void {
  let at = found.length;
  found.push(entry);
  for (let before = found[at - 1]; before !== undefined; before = found[at - 1]) {
    if (before.position < entry.position) break;
    found[at] = before;
    at -= 1;
  }
  found[at] = entry;
}

function fill<T extends { keys: readonly RuleKey[] }>(items: readonly T[]): Buckets<T> {
  const counts = countKeys(items.map(({ keys }) => keys));
  const buckets: Buckets<T> = {
    methods: new Map(),
    authenticated: new Map(),
    plans: new Map(),
    headers: new Map(),
    globs: newGlobNode(),
    networks: new Map(),
  };
  for (const [position, item] of items.entries()) {
    const key = rarestKey(item.keys, counts);
    if (key === null) continue;
    const entry = { item, position, remaining: key.remaining, seenBy: 0 };
    for (const bucket of bucketsOf(buckets, key)) bucket.entries.push(entry);
  }
  return buckets;
}

function bucketsOf<T>(buckets: Buckets<T>, key: RuleKey): Bucket<T>[] {
  switch (key.by) {
    case "method":
      return key.bits.map((bit) => at(buckets.methods, bit, newBucket<T>));
    case "authenticated":
      return [at(buckets.authenticated, key.authenticated, newBucket<T>)];
    case "plan":
      return [...key.plans].map((plan) => at(buckets.plans, plan, newBucket<T>));
    case "header": {
      const { name, values } = key.header;
      const ofName = at(buckets.headers, name, () => newHeaderBuckets<T>(name));
      if (values === null) return [ofName.any];
      return [...values].map((value) => at(ofName.values, value, newBucket<T>));
    }
    case "route":
      return key.shapes.map((shape) => globValue(buckets.globs, shape, newBucket<T>));
    case "ip":
      return key.networks.map((network) => {
        const ofNetwork = () => ({ ...network, value: newBucket<T>() });
        return at(buckets.networks, network.text, ofNetwork).value;
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
  return { entries: [], seenBy: 0 };
}

function newHeaderBuckets<T>(name: string): HeaderBuckets<T> {
  return { name, any: newBucket(), values: new Map() };
}

function hasChildren<T>({ literals, parameter, rest }: GlobNode<T>): boolean {
  return literals !== null || parameter !== null || rest !== null;
}
