import { crowdedPath } from "./crowded-path";
import { parseNetworks } from "./ip-ranges";
import { amountFor, amountsOf, isShedder } from "./limit";
import { ANONYMOUS_PLAN } from "./plan";
import { patternSegments } from "./route-template";
import { METHODS, type Rule } from "./rule";
import { compileConditions, methodBit } from "./rule-conditions";
import type { Content } from "./ruleset-objects";

/** More rules than this are not checked in one call. */
export const RULES_PER_REQUEST_MAX = 32;

export type Crowd = {
  rules: readonly string[];
  /** `POST /v1/links on plan free from 198.51.100.0` */
  request: string;
  /** False: too entangled to count, these may be more than ever meet. */
  isExact: boolean;
};

/** A rule that may be checked, and what it asks of a request. Null = any. */
export type Asked = {
  id: string;
  rule: Rule;
  methods: number;
  networks: ReturnType<typeof parseNetworks> | null;
  headers: ReadonlyMap<string, ReadonlySet<string> | null>;
  globs: readonly (readonly string[])[] | null;
};

/** Conditions looked at, and places in globs, before the search gives up: some 0.3 s. */
const WORK_MAX = 2_000_000;
/** Of it, for a bound by routes alone. */
const ROUTES_WORK_MAX = 200_000;

/**
 * A request that more than `max` rules would have to check, null when there is none. Exact: every combination of
 * plan, method, address, header values and path that could tell rules apart is tried, those that can no longer
 * reach `max` are cut off early. Left out: rules that are off or shed, and for each plan those that do not limit it;
 * overrides do not count.
 */
export function findCrowd(
  { rules, plans, settings }: Pick<Content, "rules" | "plans" | "settings">,
  max = RULES_PER_REQUEST_MAX,
): Crowd | null {
  const caseInsensitive = settings.caseInsensitivePaths;
  const asked = rules
    .filter(({ mode, limit }) => mode !== "off" && !isShedder(limit))
    .map((rule) => askedBy(rule, caseInsensitive));
  if (asked.length <= max) return null;
  const known = new Set<string>(plans.map(({ id }) => id));
  const named = asked.flatMap(({ rule }) => rule.match.plans ?? []);
  const others = unnamedPlan(new Set([...known, ...named]));
  const search: Search = { max, work: WORK_MAX, seen: new Set(), byRoute: new Map() };
  for (const plan of new Set([ANONYMOUS_PLAN, ...known, ...named, others])) {
    const onPlan = asked.filter(({ rule }) => meetsPlan(rule, plan, known.has(plan)));
    if (isBelow(onPlan, search)) continue;
    for (const method of METHODS) {
      const set = onPlan.filter(({ methods }) => (methods & methodBit(method)) !== 0);
      const crowd = ofAddress(set, search);
      if (crowd === null) continue;
      const where = plan === others ? "on a plan of no name" : `on plan ${plan}`;
      const request = [method, shortened(crowd.path), where, ...crowd.notes].join(" ");
      return { rules: crowd.set.map(({ id }) => id), request, isExact: crowd.isExact };
    }
  }
  return null;
}

/** A path that all of them fit may be a long one. */
function shortened(path: string): string {
  return path.length > 80 ? `${path.slice(0, 77)}...` : path;
}

function askedBy(rule: Rule, caseInsensitive: boolean): Asked {
  const { methods, headers } = compileConditions(rule.match, caseInsensitive);
  const asked = new Map(headers.map(({ name, values }) => [name, values]));
  for (const part of rule.countBy) {
    const name = part.startsWith("header:") ? part.slice("header:".length) : null;
    if (name !== null && !asked.has(name)) asked.set(name, null);
  }
  return {
    id: rule.id,
    rule,
    methods,
    networks: rule.match.ips === undefined ? null : parseNetworks(rule.match.ips),
    headers: asked,
    globs: rule.match.routes?.map((glob) => patternSegments(glob, caseInsensitive)) ?? null,
  };
}

/** A plan that no rule and no version knows: its keys get each rule's default. */
function unnamedPlan(taken: ReadonlySet<string>): string {
  let name = "other";
  while (taken.has(name)) name += "-";
  return name;
}

function meetsPlan({ match, countBy, limit }: Rule, plan: string, isKnown: boolean): boolean {
  const isAnonymous = plan === ANONYMOUS_PLAN;
  if (match.plans !== undefined && !match.plans.some((each) => each === plan)) return false;
  if (match.authenticated !== undefined && match.authenticated === isAnonymous) return false;
  if (isAnonymous && (countBy.includes("apiKey") || countBy.includes("customer"))) return false;
  const amount =
    isKnown || isAnonymous ? amountFor(limit, plan) : (amountsOf(limit).default ?? null);
  return amount !== null && amount !== "unlimited";
}

type Search = {
  max: number;
  /** What is left of it. */
  work: number;
  /** Sets in which nothing was found. */
  seen: Set<string>;
  /** What was found out of rules by their routes alone: plans and methods share most of them. */
  byRoute: Map<string, boolean>;
};
type Found = { set: readonly Asked[]; path: string; notes: string[]; isExact: boolean };

/** Whether no request can meet more than `max` of these: as many as meet in each way that tells them apart, summed. */
function isBelow(set: readonly Asked[], search: Search): boolean {
  const { max } = search;
  if (set.length <= max) return true;
  const byAddress = set.filter(({ networks }) => networks !== null);
  const byRoute = set.filter(({ networks, globs }) => networks === null && globs !== null);
  const rest = set.filter(({ networks, globs }) => networks === null && globs === null);
  const byHeader = new Map<string, Asked[]>();
  for (const each of rest) {
    const [name = ""] = each.headers.keys();
    byHeader.set(name, [...(byHeader.get(name) ?? []), each]);
  }
  let bound = 0;
  for (const each of addressSets(byAddress, search)) bound = Math.max(bound, each.set.length);
  for (const [name, group] of byHeader) {
    if (name === "") bound += group.length;
    else bound += Math.max(...valueSets(group, name, search).map((each) => each.set.length));
  }
  if (bound > max) return false;
  const name = `${max - bound} ${byRoute.map(({ id }) => id).join(" ")}`;
  const known = search.byRoute.get(name);
  if (known !== undefined) return known;
  const budget = { work: Math.min(ROUTES_WORK_MAX, search.work) };
  search.work -= budget.work;
  const isPassable = crowdedPath(byRoute, max - bound, budget) === null;
  search.work += budget.work;
  search.byRoute.set(name, isPassable);
  return isPassable;
}

function ofAddress(set: readonly Asked[], search: Search): Found | null {
  if (isDone(set, search)) return null;
  if (search.work <= 0) return { set, path: "/", notes: [], isExact: false };
  for (const { first, set: left } of addressSets(set, search)) {
    const found = ofHeaders(left, search, []);
    if (found === null) continue;
    return first === null ? found : { ...found, notes: [`from ${first}`, ...found.notes] };
  }
  return null;
}

/** Ranges are nested or apart, so the most of them meet where one begins. */
function addressSets(
  set: readonly Asked[],
  search: Search,
): { first: string | null; set: Asked[] }[] {
  const starts = new Map(
    set.flatMap(({ networks, rule }) =>
      (networks ?? []).map(({ first }, i) => [first, rule.match.ips?.[i] ?? ""] as const),
    ),
  );
  search.work -= starts.size * set.length;
  if (starts.size === 0) return [{ first: null, set: [...set] }];
  return [...starts].map(([at, text]) => ({
    first: text,
    set: set.filter(
      ({ networks }) =>
        networks === null ||
        networks.some(({ first, last }) => typeof first === typeof at && first <= at && at <= last),
    ),
  }));
}

function ofHeaders(set: readonly Asked[], search: Search, done: readonly string[]): Found | null {
  if (isDone(set, search)) return null;
  if (search.work <= 0) return { set, path: "/", notes: [], isExact: false };
  const name = set
    .flatMap(({ headers }) => [...headers.keys()])
    .find((each) => !done.includes(each));
  if (name === undefined) return ofPath(set, search);
  for (const { value, set: left } of valueSets(set, name, search)) {
    const found = ofHeaders(left, search, [...done, name]);
    if (found === null) continue;
    return {
      ...found,
      notes: [`with ${name}${value === null ? "" : `: ${value}`}`, ...found.notes],
    };
  }
  return null;
}

/** A header that is there hinders no rule, and a value that is asked for fits more than any other. */
function valueSets(
  set: readonly Asked[],
  name: string,
  search: Search,
): { value: string | null; set: Asked[] }[] {
  const values = new Set(set.flatMap(({ headers }) => [...(headers.get(name) ?? [])]));
  search.work -= values.size * set.length;
  if (values.size === 0) return [{ value: null, set: [...set] }];
  return [...values].map((value) => ({
    value,
    set: set.filter(({ headers }) => headers.get(name)?.has(value) ?? true),
  }));
}

function ofPath(set: readonly Asked[], search: Search): Found | null {
  const crowd = crowdedPath(set, search.max, search);
  return crowd === null ? null : { ...crowd, notes: [] };
}

/** Whether nothing is to be found in a set, or it was looked through before. */
function isDone(set: readonly Asked[], search: Search): boolean {
  search.work -= set.length;
  if (set.length <= search.max) return true;
  const name = set.map(({ id }) => id).join(" ");
  if (search.seen.has(name)) return true;
  if (isBelow(set, search)) search.seen.add(name);
  return search.seen.has(name);
}
