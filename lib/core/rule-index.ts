import { walkGlobs } from "./glob-trie";
import {
  type Bucket,
  type Entry,
  type HeaderBuckets,
  type Split,
  splitRules,
} from "./rule-buckets";
import { type Conditions, holds, RequestView } from "./rule-conditions";
import type { RuleKey } from "./rule-keys";
import type { RequestFacts } from "./ruleset-index";
import { runSteps, type Steps } from "./steps";

export type Indexed = { conditions: Conditions; keys: readonly RuleKey[] };

/** Finds the items whose conditions hold for a request of that method bit, in the order they were given in. */
export type RuleIndex<T> = (facts: RequestFacts, method: number) => readonly { item: T }[];

/**
 * Each item lies under the one of its conditions that the fewest others share, in a bucket for each value that the
 * condition takes; a request opens the buckets of its own values and tests what is left of the conditions there.
 */
export function compileRuleIndex<T extends Indexed>(items: readonly T[]): RuleIndex<T> {
  return runSteps(ruleIndexSteps(items));
}

export function* ruleIndexSteps<T extends Indexed>(items: readonly T[]): Steps<RuleIndex<T>> {
  const root = yield* splitRules(items);
  let searches = 0;
  return (facts, method) => {
    searches += 1;
    const search: Search<T> = {
      id: searches,
      view: new RequestView(facts, method),
      found: [],
      open: (bucket) => openBucket(search, bucket),
    };
    openSplit(search, root);
    return search.found;
  };
}

type Search<T> = {
  id: number;
  view: RequestView;
  found: Entry<T>["indexed"][];
  open(bucket: Bucket<T>): void;
};

function openSplit<T>(search: Search<T>, split: Split<T>): void {
  const { facts, method } = search.view;
  const { methods, authenticated, plans, globs, networks } = split;
  if (methods !== null) openIfAny(search, methods.get(method));
  if (authenticated !== null) openIfAny(search, authenticated.get(facts.identity.authenticated));
  if (plans !== null) openIfAny(search, plans.get(facts.identity.plan));
  if (globs !== null && facts.path.startsWith("/"))
    walkGlobs(globs, search.view.segments(), 0, search.open);
  if (networks !== null) {
    let node = networks.find(search.view.address());
    for (; node !== null; node = node.parent) openBucket(search, node.value);
  }
  openHeaders(search, split);
}

function openHeaders<T>(search: Search<T>, { headers, manyHeaders }: Split<T>): void {
  const names = manyHeaders === null ? null : search.view.headerNames();
  if (manyHeaders === null || names === null) {
    for (const ofName of headers) openHeader(search, ofName);
    return;
  }
  for (const name of names) {
    const ofName = manyHeaders.get(name);
    if (ofName !== undefined) openHeader(search, ofName);
  }
}

function openHeader<T>(search: Search<T>, { name, any, values }: HeaderBuckets<T>): void {
  const value = search.view.facts.header(name);
  if (value === undefined) return;
  openBucket(search, any);
  openIfAny(search, values.get(value));
}

function openIfAny<T>(search: Search<T>, bucket: Bucket<T> | undefined): void {
  if (bucket !== undefined) openBucket(search, bucket);
}

function openBucket<T>(search: Search<T>, bucket: Bucket<T>): void {
  if (bucket.seenBy === search.id) return;
  bucket.seenBy = search.id;
  for (const { indexed, remaining } of bucket.entries) {
    if (indexed.seenBy === search.id) continue;
    indexed.seenBy = search.id;
    if (holds(remaining, search.view)) insert(search.found, indexed);
  }
  if (bucket.split !== null) openSplit(search, bucket.split);
}

/** From the end, where a bucket, itself in order, puts each: few rules apply to one request. */
function insert<T>(found: Entry<T>["indexed"][], indexed: Entry<T>["indexed"]): void {
  let at = found.length;
  found.push(indexed);
  for (let before = found[at - 1]; before !== undefined; before = found[at - 1]) {
    if (before.position < indexed.position) break;
    found[at] = before;
    at -= 1;
  }
  found[at] = indexed;
}
