import type { Clock } from "@/lib/clock";
import type { DecisionSource } from "@/lib/core/check";
import {
  type CountBatch,
  type CountedOutcome,
  type CountedRule,
  type CountRow,
  type Hit,
  isCounted,
} from "@/lib/core/counts";
import { retryAfterSeconds } from "@/lib/core/headers";
import type { Identity } from "@/lib/core/identity";
import type { RulesetIndex } from "@/lib/core/ruleset-index";
import { createClientMinutes } from "./client-minutes";
import { createKeyUse } from "./key-use";
import { createOverrideUse } from "./override-use";

/** Hits kept of a rule in a second, besides each client's first of a minute. The rest are in the counts only. */
export const HITS_A_SECOND = 20;
const HITS_MAX = 5_000;
const ROWS_MAX = 50_000;
/** An idle gateway says so this often: no report is not "no requests". */
const IDLE_REPORT_MS = 20_000;

export type CountedRequest = {
  index: RulesetIndex;
  /** Rules that applied, lists included. */
  matched: readonly { compiled: CountedRule }[];
  /** In the order of `matched`. */
  outcomes: readonly CountedOutcome[];
  verdict: "allowed" | "refused";
  source: DecisionSource;
  /** Rules that no bucket decided: they say nothing about the client, so they are not counted. */
  unchecked: readonly string[];
  identity: Identity;
  method: string;
  route: string;
  requestId: string;
};

/** A batch before it has its number. */
export type Counted = Omit<CountBatch, "sequence" | "gateway" | "boot" | "environment" | "schema">;

export type Counts = {
  count(request: CountedRequest): void;
  /** An override decided what a request may do. */
  overrideUsed(id: string): void;
  /** Everything since the last call. Null when nothing was counted, unless that has not been said for a while. */
  take(): Counted | null;
  /** Requests in the last whole second. */
  requestsPerSecond(): number;
};

type Row = { requests: number; rejections: number; newly: number };
type RuleSecond = { rows: Map<string, Map<string, Row>>; hits: number };

/** Sums requests by second and (rule, plan, route), clients by minute, and keeps some hits. Nothing here waits. */
export function createCounts({ clock }: { clock: Clock }): Counts {
  const clients = createClientMinutes();
  const overrideUse = createOverrideUse({ clock });
  const keyUse = createKeyUse({ clock });
  let second = 0;
  let rules = new Map<CountedRule, RuleSecond>();
  let rows: CountRow[] = [];
  let hits: Hit[] = [];
  let fromMs = clock.nowMs();
  let traffic = noTraffic();
  let dropped = { requests: 0, clients: 0, hits: 0 };
  let thisSecond = 0;
  let lastSecond = 0;

  function turnTo(next: number): void {
    lastSecond = next === second + 1 ? thisSecond : 0;
    thisSecond = 0;
    drain();
    rules = new Map();
    second = next;
  }

  function drain(): void {
    for (const [compiled, { rows: byPlan }] of rules) {
      for (const [plan, byRoute] of byPlan) {
        for (const [route, row] of byRoute) {
          if (rows.length < ROWS_MAX) rows.push(rowOf(compiled, second, plan, route, row));
          else dropped.requests += row.requests;
        }
      }
    }
    rules.clear();
  }

  function countRule(
    request: CountedRequest,
    compiled: CountedRule,
    outcome: CountedOutcome,
    nowMs: number,
  ): void {
    const { identity, route } = request;
    const rejected = !outcome.allowed;
    const newly = rejected && isTurned(request, compiled);
    const rule = ruleSecondOf(rules, compiled);
    const row = rowIn(rule, identity.plan, route);
    row.requests += 1;
    if (rejected) row.rejections += 1;
    if (newly) row.newly += 1;
    const minute = Math.floor(second / 60);
    const outcomes = { rejected, newly };
    const isFirst = clients.count(compiled, identity.client, identity.plan, minute, outcomes);
    if (!rejected) return;
    rule.hits += 1;
    if ((isFirst || rule.hits <= HITS_A_SECOND) && hits.length < HITS_MAX)
      hits.push(hitOf(request, compiled, outcome, nowMs));
  }

  return {
    count: (request) => {
      const nowMs = clock.nowMs();
      const at = Math.floor(nowMs / 1000);
      if (at !== second) turnTo(at);
      thisSecond += 1;
      traffic.requests += 1;
      if (request.verdict === "refused") traffic.refused += 1;
      if (request.identity.authenticated) keyUse.used(request.identity.client);
      if (request.source === "local") traffic.local += 1;
      const { matched, outcomes, unchecked } = request;
      if (unchecked.length > 0) traffic.unchecked += 1;
      for (let i = 0; i < matched.length; i += 1) {
        const rule = matched[i];
        const outcome = outcomes[i];
        if (rule === undefined || outcome === undefined) continue;
        if (!isCounted(outcome, request.verdict)) continue;
        if (unchecked.length > 0 && unchecked.includes(rule.compiled.id)) continue;
        countRule(request, rule.compiled, outcome, nowMs);
      }
    },
    overrideUsed: overrideUse.used,
    take: () => {
      drain();
      const byClient = clients.take();
      const toMs = clock.nowMs();
      const isEmpty = traffic.requests === 0 && rows.length === 0 && byClient.rows.length === 0;
      if (isEmpty && Math.abs(toMs - fromMs) < IDLE_REPORT_MS) return null;
      const overrides = overrideUse.take();
      const keys = keyUse.take();
      dropped.clients += byClient.dropped + Math.max(0, byClient.rows.length - ROWS_MAX);
      const counted: Counted = {
        fromMs: Math.min(fromMs, toMs),
        toMs,
        counts: rows,
        clients: byClient.rows.slice(0, ROWS_MAX),
        hits,
        ...(overrides.length === 0 ? {} : { overrides }),
        ...(keys.length === 0 ? {} : { keys }),
        traffic,
        dropped,
      };
      fromMs = toMs;
      rows = [];
      hits = [];
      traffic = noTraffic();
      dropped = { requests: 0, clients: 0, hits: 0 };
      return counted;
    },
    requestsPerSecond: () => {
      const at = Math.floor(clock.nowMs() / 1000);
      if (at === second) return lastSecond;
      return at === second + 1 ? thisSecond : 0;
    },
  };
}

/** Whether what this revision refuses would be answered otherwise by the world that it is compared with. */
function isTurned({ matched, outcomes, verdict }: CountedRequest, of: CountedRule): boolean {
  if (of.mode === "shadow") return verdict === "allowed";
  if (of.hasCandidate !== true || of.lane !== "live") return false;
  // Of a candidate that does not match nothing is refused.
  return matched.every(({ compiled }, i) => {
    const { id, mode, lane } = compiled;
    if (compiled === of) return true;
    const isOfThatWorld = mode === "enforce" || (id === of.id && lane === "candidate");
    return !isOfThatWorld || outcomes[i]?.allowed === true;
  });
}

function noTraffic(): CountBatch["traffic"] {
  return { requests: 0, refused: 0, local: 0, unchecked: 0 };
}

function ruleSecondOf(rules: Map<CountedRule, RuleSecond>, compiled: CountedRule): RuleSecond {
  const held = rules.get(compiled);
  if (held !== undefined) return held;
  const made: RuleSecond = { rows: new Map(), hits: 0 };
  rules.set(compiled, made);
  return made;
}

function rowIn(rule: RuleSecond, plan: string, route: string): Row {
  let byRoute = rule.rows.get(plan);
  if (byRoute === undefined) {
    byRoute = new Map();
    rule.rows.set(plan, byRoute);
  }
  let row = byRoute.get(route);
  if (row === undefined) {
    row = { requests: 0, rejections: 0, newly: 0 };
    byRoute.set(route, row);
  }
  return row;
}

function rowOf(
  compiled: CountedRule,
  second: number,
  plan: string,
  route: string,
  { requests, rejections, newly }: Row,
): CountRow {
  const { id: rule, revision, mode, lane } = compiled;
  return { second, rule, revision, mode, lane, plan, route, requests, rejections, newly };
}

function hitOf(
  { index, identity, method, route, requestId }: CountedRequest,
  compiled: CountedRule,
  outcome: CountedOutcome,
  atMs: number,
): Hit {
  return {
    atMs,
    requestId,
    rule: compiled.id,
    revision: compiled.revision,
    mode: compiled.mode,
    lane: compiled.lane,
    plan: identity.plan,
    client: identity.client,
    method: method.slice(0, 16),
    route,
    epoch: index.id.epoch,
    version: index.id.version,
    retryAfterSeconds: retryAfterSeconds(outcome),
  };
}
