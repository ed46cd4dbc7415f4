import type {
  BacktestOptions,
  BacktestRequest,
  BacktestResult,
  BacktestRule,
} from "./backtest-result";
import { createBacktestTally } from "./backtest-tally";
import { canonicalPath } from "./canonical-path";
import type { CheckRule } from "./check";
import { decide } from "./decide";
import type { Identity } from "./identity";
import { type IpAddress, ipClientId, parseIp } from "./ip";
import type { StateRecord } from "./record";
import type { CompiledRule, MatchedRule, RequestFacts, RulesetIndex } from "./ruleset-index";
import { createSweep } from "./sweep";
import { TimeOrder } from "./time-order";

const WINDOW_REQUESTS = 50_000;
const TOP_CLIENTS = 20;
const ADDRESSES_MAX = 200_000;

export type Backtest = {
  push(requests: Iterable<BacktestRequest>): void;
  /** Decides what is still held back; nothing can be pushed afterwards. */
  result(): BacktestResult;
};

/**
 * Runs recorded requests through a ruleset, in the order of their times, with the index and the arithmetic that
 * gateways have: one store, exact, nobody's overrides.
 */
export function createBacktest(ruleset: RulesetIndex, options: BacktestOptions = {}): Backtest {
  const { windowRequests = WINDOW_REQUESTS, topClients = TOP_CLIENTS, sampling = 1 } = options;
  const order = new TimeOrder<BacktestRequest>();
  const states = new Map<string, StateRecord[]>();
  const forgetSome = createSweep(states);
  const total = createBacktestTally(topClients);
  const rules = new Map<string, RuleTally>();
  for (const compiled of ruleset.rules)
    if (!isLeftOut(compiled)) rules.set(nameOf(compiled), newRuleTally(compiled, topClients));
  const counts = { outOfOrder: 0, tooLate: 0, unreadable: 0, listAllowed: 0, listDenied: 0 };
  const addresses = new Map<string, IpAddress | null>();
  let newestMs = Number.NEGATIVE_INFINITY;
  let fromMs: number | null = null;
  let reachedMs = Number.NEGATIVE_INFINITY;

  function addressOf(text: string): IpAddress | null {
    const known = addresses.get(text);
    if (known !== undefined) return known;
    if (addresses.size >= ADDRESSES_MAX) addresses.clear();
    const ip = parseIp(text);
    addresses.set(text, ip);
    return ip;
  }

  function decideOne(request: BacktestRequest): void {
    const ip = addressOf(request.ip);
    if (ip === null) {
      counts.unreadable += 1;
      return;
    }
    const atMs = Math.max(request.atMs, reachedMs);
    reachedMs = atMs;
    fromMs ??= atMs;
    const nowUs = Math.round(atMs * 1000);
    const facts = factsOf(request, ip, ruleset);
    const { client, plan } = facts.identity;
    const seen = { atMs, client, plan, route: facts.route };
    const ruling = ruleset.lists.find(facts.identity)?.list;
    if (ruling === "allow" || ruling === "deny") {
      if (ruling === "allow") counts.listAllowed += 1;
      else counts.listDenied += 1;
      total.count({ ...seen, isRejected: ruling === "deny" });
      return;
    }
    forgetSome(nowUs);
    const matched = ruleset.match(facts).filter(({ compiled }) => !isLeftOut(compiled));
    const checked = matched.map((rule) => checkRuleOf(rule, request.cost));
    const { decision, writes } = decide({
      rules: checked,
      records: states,
      nowUs,
      source: "local",
    });
    for (const { key, records } of writes) {
      if (records.length === 0) states.delete(key);
      else states.set(key, records);
    }
    const isRefused = decision.verdict === "refused";
    total.count({ ...seen, isRejected: isRefused });
    for (const [i, { compiled }] of matched.entries()) {
      const rule = rules.get(nameOf(compiled));
      const isHit = decision.perRule[i]?.allowed === false;
      if (rule === undefined) continue;
      const isAlso = isHit && isRefused && compiled.mode === "shadow";
      if (isAlso) rule.alsoRefused += 1;
      rule.tally.count({ ...seen, isRejected: isHit && !isAlso });
    }
  }

  return {
    push(requests) {
      for (const request of requests) {
        if (request.atMs < newestMs) counts.outOfOrder += 1;
        if (request.atMs < reachedMs) counts.tooLate += 1;
        newestMs = Math.max(newestMs, request.atMs);
        order.add(request);
        if (order.size <= windowRequests) continue;
        const first = order.take();
        if (first !== undefined) decideOne(first);
      }
    },
    result() {
      for (let next = order.take(); next !== undefined; next = order.take()) decideOne(next);
      return {
        ...total.figures(),
        fromMs,
        toMs: fromMs === null ? null : reachedMs,
        sampling,
        ...counts,
        rules: [...rules.values()].map(ruleResult),
        notSimulated: ruleset.rules.filter(isLeftOut).map(({ id, rule }) => ({
          rule: id,
          why: `kind ${rule.limit.kind} depends on how long requests take or how busy gateways are, which the requests do not say`,
        })),
      };
    },
  };
}

type RuleTally = {
  compiled: CompiledRule;
  alsoRefused: number;
  tally: ReturnType<typeof createBacktestTally>;
};

function newRuleTally(compiled: CompiledRule, topClients: number): RuleTally {
  return { compiled, alsoRefused: 0, tally: createBacktestTally(topClients) };
}

function ruleResult({ compiled, alsoRefused, tally }: RuleTally): BacktestRule {
  const { id, revision, lane, mode } = compiled;
  return { rule: id, revision, lane, mode, alsoRefused, ...tally.figures() };
}

/** Of a candidate its share's clients meet it enforced, the others in shadow: figures of their own. */
function nameOf({ id, lane }: CompiledRule): string {
  return `${lane} ${id}`;
}

function isLeftOut({ rule }: CompiledRule): boolean {
  return rule.limit.kind !== "rate";
}

function checkRuleOf(
  { compiled, principal, rest, limit, cost }: MatchedRule,
  told?: number,
): CheckRule {
  const { id, slot, mode, rule } = compiled;
  const isTold = told !== undefined && typeof rule.cost === "object" && "header" in rule.cost;
  const parts = rest.map((part) => `${part.length}:${part}`).join("");
  return {
    ruleId: id,
    key: `${slot} ${principal} ${parts}`,
    slot,
    role: mode === "enforce" ? "enforced" : "shadow",
    limit,
    cost: isTold ? told : cost,
  };
}

function factsOf(request: BacktestRequest, ip: IpAddress, ruleset: RulesetIndex): RequestFacts {
  const { client, plan, customer, method, headers = {} } = request;
  const { caseInsensitivePaths: caseInsensitive, ipv6PrefixLength } = ruleset.settings;
  const path = canonicalPath(request.path, { caseInsensitive });
  const authenticated = client.startsWith("key:");
  const ipClient = ipClientId(ip, ipv6PrefixLength);
  const identity: Identity = {
    client: authenticated ? client : ipClient,
    authenticated,
    customer: authenticated ? (customer ?? client.slice("key:".length)) : null,
    plan,
    ip,
    ipClient,
  };
  return {
    method,
    path,
    route: request.route ?? ruleset.routeOf(path),
    header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
    headerNames: () => Object.keys(headers),
    identity,
    override: () => null,
  };
}
