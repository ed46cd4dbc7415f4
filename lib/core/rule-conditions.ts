import { globShape } from "./glob-trie";
import {
  type AddressKey,
  addressKey,
  compileRanges,
  type Network,
  parseNetworks,
} from "./ip-ranges";
import { compilePatterns, pathSegments, type RouteMatcher } from "./route-glob";
import { patternSegments } from "./route-template";
import { type Match, METHODS } from "./rule";
import type { RequestFacts } from "./ruleset-index";

/** A rule's match, worked out once per revision. Null, or no headers: any request will do. */
export type Conditions = {
  /** A bit for each method, see `methodBit`. */
  methods: number;
  authenticated: boolean | null;
  plans: ReadonlySet<string> | null;
  headers: readonly HeaderCondition[];
  routes: RouteCondition | null;
  ips: IpCondition | null;
};

/** Values null = any that is present. */
export type HeaderCondition = { name: string; values: ReadonlySet<string> | null };

/** `isExact`: a path that fits one of the shapes fits the glob. No shapes: the path was found to fit one. */
export type RouteCondition = { shapes: string[][]; isExact: boolean; fits: RouteMatcher };

export type IpCondition = {
  networks: readonly Network[];
  contains(address: AddressKey): boolean;
};

const BITS = new Map<string, number>(METHODS.map((method, i) => [method, 1 << i]));
const OTHER_METHOD = 1 << METHODS.length;
/** An exempt preflight meets only the rules that ask for OPTIONS by name. */
export const EXEMPT_PREFLIGHT = OTHER_METHOD << 1;
export const METHOD_BITS = [...BITS.values(), OTHER_METHOD, EXEMPT_PREFLIGHT];

export function methodBit(method: string): number {
  return BITS.get(method) ?? OTHER_METHOD;
}

export function compileConditions(match: Match, caseInsensitive: boolean): Conditions {
  return {
    methods: methodsOf(match),
    authenticated: match.authenticated ?? null,
    plans: match.plans === undefined ? null : new Set<string>(match.plans),
    headers: Object.entries(match.headers ?? {}).map(([name, values]) => ({
      name,
      values: values.length === 0 ? null : new Set(values),
    })),
    routes: routesOf(match, caseInsensitive),
    ips: ipsOf(match),
  };
}

/** What conditions look at, each thing worked out at most once however many rules look. */
export class RequestView {
  private splitPath: readonly string[] | null = null;
  private key: AddressKey | null = null;
  private names: readonly string[] | null = null;

  constructor(
    readonly facts: RequestFacts,
    readonly method: number,
  ) {}

  segments(): readonly string[] {
    this.splitPath ??= pathSegments(this.facts.path);
    return this.splitPath;
  }

  address(): AddressKey {
    this.key ??= addressKey(this.facts.identity.ip);
    return this.key;
  }

  headerNames(): readonly string[] | null {
    this.names ??= this.facts.headerNames?.() ?? null;
    return this.names;
  }
}

export function holds(conditions: Conditions, view: RequestView): boolean {
  const { facts } = view;
  const { authenticated, plans, routes, ips } = conditions;
  if ((conditions.methods & view.method) === 0) return false;
  if (authenticated !== null && facts.identity.authenticated !== authenticated) return false;
  if (plans !== null && !plans.has(facts.identity.plan)) return false;
  for (const { name, values } of conditions.headers) {
    const value = facts.header(name);
    if (value === undefined || (values !== null && !values.has(value))) return false;
  }
  if (routes !== null && !routes.fits(facts.path, () => view.segments())) return false;
  return ips === null || ips.contains(view.address());
}

/** HEAD counts under GET. */
function methodsOf(match: Match): number {
  if (match.methods === undefined) return EXEMPT_PREFLIGHT - 1;
  let bits = 0;
  for (const method of match.methods) bits |= methodBit(method);
  if ((bits & methodBit("GET")) !== 0) bits |= methodBit("HEAD");
  if ((bits & methodBit("OPTIONS")) !== 0) bits |= EXEMPT_PREFLIGHT;
  return bits;
}

function routesOf({ routes }: Match, caseInsensitive: boolean): RouteCondition | null {
  if (routes === undefined) return null;
  const patterns = routes.map((route) => patternSegments(route, caseInsensitive));
  const shapes = patterns.map(globShape);
  return {
    shapes: shapes.map(({ shape }) => shape),
    isExact: shapes.every(({ isExact }) => isExact),
    fits: compilePatterns(patterns),
  };
}

function ipsOf({ ips }: Match): IpCondition | null {
  if (ips === undefined) return null;
  const networks = parseNetworks(ips);
  return { networks, contains: compileRanges(networks) };
}
