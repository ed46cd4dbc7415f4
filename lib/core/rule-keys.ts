import type { Network } from "./ip-ranges";
import { type Conditions, type HeaderCondition, METHOD_BITS } from "./rule-conditions";
import type { Steps } from "./steps";

/** A condition that a rule can be found by. */
export type RuleKey = {
  /** The values it takes, spelled so that those of two conditions never read alike. */
  texts: readonly string[];
  /** The conditions that are left to test when the rule was found by this one. */
  remaining: Conditions;
} & (
  | { by: "method"; bits: readonly number[] }
  | { by: "authenticated"; authenticated: boolean }
  | { by: "plan"; plans: ReadonlySet<string> }
  | { by: "header"; header: HeaderCondition }
  | { by: "route"; shapes: readonly string[][] }
  | { by: "ip"; networks: readonly Network[] }
);

/** The keys that a rule's conditions offer; the method is always one. */
export function ruleKeys(conditions: Conditions): RuleKey[] {
  return [...keysBesideMethod(conditions), methodKey(conditions)];
}

/** The dearest to test come first. */
export function keysBesideMethod(conditions: Conditions): RuleKey[] {
  const { ips, routes, plans, authenticated, headers } = conditions;
  const keys: RuleKey[] = [];
  if (ips !== null) {
    const { networks } = ips;
    const texts = unique(networks.map(({ text }) => `ip ${text}`));
    keys.push({ by: "ip", networks, texts, remaining: { ...conditions, ips: null } });
  }
  if (routes !== null && routes.shapes.length > 0) {
    const { shapes } = routes;
    const texts = unique(shapes.map((shape) => `route ${shape.join("/")}`));
    const left = routes.isExact ? null : { ...routes, shapes: [] };
    keys.push({ by: "route", shapes, texts, remaining: { ...conditions, routes: left } });
  }
  if (plans !== null) {
    const texts = [...plans].map((plan) => `plan ${plan}`);
    keys.push({ by: "plan", plans, texts, remaining: { ...conditions, plans: null } });
  }
  for (const header of headers) {
    const { name, values } = header;
    const texts = values === null ? [name] : [...values].map((value) => `${name} ${value}`);
    const remaining = { ...conditions, headers: headers.filter((one) => one !== header) };
    keys.push({ by: "header", header, texts: texts.map((text) => `header ${text}`), remaining });
  }
  if (authenticated !== null) {
    const texts = [`authenticated ${authenticated}`];
    const remaining = { ...conditions, authenticated: null };
    keys.push({ by: "authenticated", authenticated, texts, remaining });
  }
  return keys;
}

function methodKey(conditions: Conditions): RuleKey {
  const bits = METHOD_BITS.filter((bit) => (conditions.methods & bit) !== 0);
  const texts = bits.map((bit) => METHOD_TEXTS.get(bit) ?? "");
  return { by: "method", bits, texts, remaining: conditions };
}

const METHOD_TEXTS = new Map(METHOD_BITS.map((bit) => [bit, `method ${bit}`]));

/** How many values the conditions take in all, the methods left out. */
export function sizeOf({ ips, routes, plans, headers }: Conditions): number {
  let size = (ips?.networks.length ?? 0) + (routes?.shapes.length ?? 0) + (plans?.size ?? 0);
  for (const { values } of headers) size += values?.size ?? 1;
  return size;
}

function unique(texts: readonly string[]): readonly string[] {
  return texts.length < 2 ? texts : [...new Set(texts)];
}

/** How many rules take each value. */
export type KeyCounts = ReadonlyMap<string, number>;

const RULES_COUNTED_A_STEP = 64;

export function* countKeys(rules: readonly (readonly RuleKey[])[]): Steps<KeyCounts> {
  const counts = new Map<string, number>();
  for (const [i, keys] of rules.entries()) {
    for (const { texts } of keys)
      for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
    if (i % RULES_COUNTED_A_STEP === 0) yield;
  }
  return counts;
}

/** Each header name that rules are found by costs every request a look-up, as much as testing a rule or two. */
const HEADER_COST = 2;

/** The key whose most wanted value the fewest rules take, and how many those are; the first of equals. */
export function rarestKey(
  keys: readonly RuleKey[],
  counts: KeyCounts,
): { key: RuleKey; count: number } | null {
  let rarest: RuleKey | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const key of keys) {
    let most = 0;
    for (const text of key.texts) most = Math.max(most, counts.get(text) ?? 0);
    if (key.by === "header") most += HEADER_COST;
    if (most >= least) continue;
    least = most;
    rarest = key;
  }
  return rarest === null ? null : { key: rarest, count: least };
}
