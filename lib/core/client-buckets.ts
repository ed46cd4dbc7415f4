import { type BucketLimit, costWaitUs, presentState, quotaOf, remainingOf } from "./bucket-limit";
import { overrideFor } from "./client-reasons";
import {
  type ClientOverride,
  factsOfClient,
  identityOf,
  type KnownClient,
  lanesOf,
  routeNames,
} from "./client-rules";
import type { CountedMode, Lane } from "./counts";
import { type Amount, amountFor, isShedder } from "./limit";
import { limitWords } from "./limit-words";
import { MICRO } from "./micro";
import { decodeRecords } from "./record";
import { compileRule } from "./rule-matcher";
import type { Body } from "./ruleset";
import type { CompiledRule } from "./ruleset-index";

/** A bucket that a client's requests are counted in. */
export type ClientBucket = {
  rule: string;
  name: string;
  lane: Lane;
  mode: CountedMode;
  slot: number;
  principal: string;
  rest: readonly string[];
  /** Of a combination with route, the template. */
  route: string | null;
  limit: BucketLimit;
  /** `60 per 1m` */
  words: string;
  /** Others are counted in it, too: everybody, or everybody of the plan. */
  isShared: boolean;
};

export type ClientBuckets = {
  buckets: ClientBucket[];
  /** Rules that count the client in buckets which cannot be named, and why. */
  unnamed: { rule: string; name: string; why: string }[];
};

/** What the client is counted in under a version, whatever it asks for. */
export function clientBuckets(
  body: Body,
  known: KnownClient,
  overrides: readonly ClientOverride[],
): ClientBuckets {
  const found: ClientBuckets = { buckets: [], unnamed: [] };
  const routes = routeNames(body);
  const plans = new Set(body.plans.map(({ id }) => id));
  for (const entry of body.rules) {
    for (const compiled of lanesOf(entry, known)) {
      if (!mayCount(compiled, known)) continue;
      const why = unnamedWhy(compiled, known);
      const { id: rule, name } = compiled.rule;
      if (why !== null) {
        const isLimited = isHeld(compiled, known, overrides);
        if (compiled.lane === "live" && isLimited) found.unnamed.push({ rule, name, why });
        continue;
      }
      const isByRoute = compiled.rule.countBy.includes("route");
      for (const route of isByRoute ? routes : [""]) {
        const bucket = bucketOn({ compiled, known, overrides, plans, route });
        if (bucket !== null) found.buckets.push({ ...bucket, route: isByRoute ? route : null });
      }
    }
  }
  return found;
}

/** What the client itself says to a rule; conditions on a request may hold. */
function mayCount({ rule }: CompiledRule, { plan, customer }: KnownClient): boolean {
  const { match, countBy, limit } = rule;
  if (isShedder(limit)) return false;
  if (match.plans !== undefined && !match.plans.includes(plan)) return false;
  const hasKey = customer !== null;
  if (match.authenticated !== undefined && match.authenticated !== hasKey) return false;
  return hasKey || !(countBy.includes("apiKey") || countBy.includes("customer"));
}

function isHeld(
  { rule }: CompiledRule,
  known: KnownClient,
  overrides: readonly ClientOverride[],
): boolean {
  const amount = overrideFor(rule, known, overrides)?.limit ?? amountFor(rule.limit, known.plan);
  return amount !== null && amount !== "unlimited";
}

function unnamedWhy({ rule }: CompiledRule, { client }: KnownClient): string | null {
  const { countBy } = rule;
  const header = countBy.find((part) => part.startsWith("header:"));
  if (header !== undefined)
    return `counts by the value of header ${header.slice("header:".length)}, which is not kept`;
  if (countBy.includes("ip") && !client.startsWith("ip:"))
    return "counts by the address that a request comes from, which is not kept";
  if (client.startsWith("customer:") && (countBy.includes("apiKey") || countBy.includes("client")))
    return "counts each of its keys by itself: look up the key";
  return null;
}

type Asked = {
  compiled: CompiledRule;
  known: KnownClient;
  overrides: readonly ClientOverride[];
  plans: ReadonlySet<string>;
  route: string;
};

function bucketOn({ compiled, known, overrides, plans, route }: Asked) {
  const { rule, lane, mode, slot } = compiled;
  let amount: Amount | null = amountFor(rule.limit, known.plan);
  const facts = factsOfClient(known, overrides, route);
  const matched = compileRule(compiled, false).bucket(
    {
      ...facts,
      overrideUsed: (id, subject) => {
        amount = facts.override(id, subject);
      },
    },
    plans,
  );
  if (matched === null || amount === null) return null;
  const { principal, rest, limit } = matched;
  const isOwn = isPrincipalOf(principal, known);
  const words = limitWords(rule.limit, amount);
  const { id, name } = rule;
  return { rule: id, name, lane, mode, slot, principal, rest, limit, words, isShared: !isOwn };
}

function isPrincipalOf(principal: string, known: KnownClient): boolean {
  const { client, customer } = identityOf(known);
  return principal === client || (customer !== null && principal === `customer:${customer}`);
}

/** What its Redis holds of a bucket: the packed value, or of requests in flight their number. */
export type Found = { value: Uint8Array | null } | { inFlight: number };

export type BucketView = {
  /** Whole tokens. */
  remaining: number;
  /** Until one whole token is there; 0 when it is. */
  resetMs: number;
  /** Of what can be had at once. */
  used: number;
  quota: number;
  /** Taken by gateways in advance, and perhaps not spent. */
  leased: number;
  /** Whether there is a record of it: else nothing was counted, or all of it is forgiven. */
  isKept: boolean;
};

/** A bucket as of `nowUs`, its Redis's clock. Nothing is spent. */
export function viewBucket(
  { limit, slot }: Pick<ClientBucket, "limit" | "slot">,
  found: Found,
  nowUs: number,
): BucketView {
  const stored = storedState({ limit, slot }, found, nowUs);
  const state = presentState(stored, limit, nowUs);
  const quota = quotaOf(limit);
  const remaining = remainingOf(state, limit, nowUs);
  const { leases } = state;
  const leased = leases === null ? 0 : Math.floor((leases.current + leases.previous) / MICRO);
  return {
    remaining,
    resetMs: Math.ceil(costWaitUs(state, limit, nowUs, 1) / 1000),
    used: Math.max(0, quota - remaining),
    quota,
    leased,
    isKept: stored !== undefined,
  };
}

function storedState(
  { limit, slot }: Pick<ClientBucket, "limit" | "slot">,
  found: Found,
  nowUs: number,
) {
  if ("inFlight" in found) {
    const { inFlight } = found;
    if (inFlight === 0) return undefined;
    return { level: inFlight, timeUs: nowUs, previous: 0, leases: null };
  }
  if (found.value === null) return undefined;
  for (const record of decodeRecords(found.value)) {
    if (record.slot !== slot || record.kind !== limit.algorithm) continue;
    if (record.kind === "concurrency" || record.fullAt * MICRO <= nowUs) continue;
    return record.state;
  }
  return undefined;
}
