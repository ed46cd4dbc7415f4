import type { IncomingMessage, ServerResponse } from "node:http";
import type { Agent } from "@/lib/agent/agent";
import type { CountedRequest } from "@/lib/agent/counts";
import type { Clock } from "@/lib/clock";
import { canonicalPath } from "@/lib/core/canonical-path";
import type { RuleOutcome } from "@/lib/core/check";
import type { HeaderField } from "@/lib/core/headers";
import type { Identity } from "@/lib/core/identity";
import { DENIED, DENY_RULE, FLOOD_RULE, FLOODED, NOT_FLOODED } from "@/lib/core/own-rules";
import { isPreflight } from "@/lib/core/preflight";
import type { Settings } from "@/lib/core/ruleset";
import type { MatchedRule, RequestFacts, RulesetIndex } from "@/lib/core/ruleset-index";
import { withWarning } from "@/lib/core/warning-header";
import { type Limiter, type LimiterDecision, limiterRule } from "@/lib/limiter";
import type { Log } from "@/lib/log";
import { type Answerable, createAnswers, limitFields, ownFields, warningsOf } from "./answers";
import type { ClientAddress, ReadClientAddress } from "./client-address";
import { addForwarded } from "./forwarded";
import { headerOf } from "./header-of";
import { removeHopByHop } from "./hop-by-hop";
import { createIdentifier, type IdentifyClient } from "./identifier";
import type { Identified } from "./identify";
import { createListGuard, type ListVerdict } from "./list-guard";
import type { Metrics } from "./metrics";
import { overridesOf } from "./overrides-of";
import type { UpstreamProxy } from "./proxy";
import { requestIdOf } from "./request-id";
import { takeOriginForm } from "./request-target";
import type { Shed, Shedding } from "./shedding";
import { guardTrustedHeader } from "./trusted-header";

type Deps = {
  environment: string;
  agent: Pick<
    Agent,
    "rules" | "directory" | "lookUpKey" | "lookUpClient" | "count" | "record" | "overrideUsed"
  >;
  limiter: Pick<Limiter, "check">;
  proxy: UpstreamProxy;
  metrics: Metrics;
  shedding: Pick<Shedding, "judge">;
  clientAddress: ReadClientAddress;
  identifyClient: IdentifyClient | undefined;
  identifyTimeoutMs: number;
  isDraining(): boolean;
  clock: Clock;
  log: Log;
};

/** A request before it is known who sent it. */
type Arrival = Answerable & { index: RulesetIndex; target: string; from: ClientAddress };

/** One request on its way through. */
type Passage = Answerable & {
  index: RulesetIndex;
  identity: Identity;
  from: ClientAddress;
  isPeerTrusted: boolean;
  route: string;
  listed: ListVerdict;
  /** Null before the shedders judged, and where none matched. */
  shed: Shed | null;
};

const NOTHING: readonly never[] = [];
const DENIED_BY = [{ compiled: DENY_RULE }];
const FLOOD_LISTED = [{ compiled: FLOOD_RULE }];
const REFUSED_HERE = { verdict: "refused", source: "redis", unchecked: NOTHING } as const;

/** Canonical path, who, which rules, check, count, then on to the upstream or an answer of our own. */
export function createRequestHandler(
  deps: Deps,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { environment, agent, limiter, proxy, metrics, shedding, clock, isDraining } = deps;
  const answers = createAnswers({ isDraining });
  const identify = createIdentifier({
    ...deps,
    timeoutMs: deps.identifyTimeoutMs,
  });
  const judgeByLists = createListGuard({ clock });

  function handle(to: Answerable): void {
    const { request } = to;
    const index = agent.rules();
    if (index === null) {
      metrics.request("unavailable");
      answers.notReady(to);
      return;
    }
    const target = takeOriginForm(request);
    if (target === null) {
      metrics.request("invalid");
      answers.badTarget(to);
      return;
    }
    // First of all, so that who sent it is judged by what the upstream will see.
    removeHopByHop(request.headers);
    const from = receive(request, index.settings);
    const arrival = { ...to, index, target, from };
    const who = identify(request, from.address, index.settings);
    if (who instanceof Promise)
      who.then((known) => admit(arrival, known)).catch((error: unknown) => failed(to, error));
    else admit(arrival, who);
  }

  /** Whence it comes; what only a trusted hop may say is gone if none said it. */
  function receive(request: IncomingMessage, { identity }: Settings): ClientAddress {
    const from = deps.clientAddress(request, identity.addressHeader);
    if (from.isJunk) metrics.forwardedForJunk();
    const name = identity.trustedHeader;
    const { isPeerTrusted } = from;
    if (name !== null && guardTrustedHeader(request.headers, { name, isPeerTrusted }))
      metrics.identity.refusedHeaders += 1;
    return from;
  }

  function admit({ target, ...arrival }: Arrival, { identity, unknown }: Identified): void {
    const { index, from } = arrival;
    const { settings } = index;
    if (unknown !== null) metrics.identity.unknown[unknown] += 1;
    const path = canonicalPath(target, { caseInsensitive: settings.caseInsensitivePaths });
    const route = index.routeOf(path);
    const listed = judgeByLists(index.lists, identity);
    const { isPeerTrusted } = from;
    const passage = { ...arrival, identity, isPeerTrusted, route, listed, shed: null };
    if (listed === "deny" || listed === "flooded") {
      drop(passage, listed);
    } else if (unknown !== null && settings.unknownKey === "reject") {
      metrics.request("unauthenticated");
      answers.unknownKey(passage);
    } else if (listed === "allow") {
      metrics.allowListed();
      count(passage, NOTHING, null);
      pass(passage, NOTHING);
    } else {
      decide(passage, path);
    }
  }

  function drop(passage: Passage, listed: "deny" | "flooded"): void {
    const isDenied = listed === "deny";
    const matched = isDenied ? DENIED_BY : FLOOD_LISTED;
    tally(passage, { ...REFUSED_HERE, matched, outcomes: [isDenied ? DENIED : FLOODED] });
    metrics.request(isDenied ? "denied" : "refused");
    if (isDenied) answers.denied(passage);
    else answers.flooded(passage);
  }

  function decide(passage: Passage, path: string): void {
    const { index } = passage;
    const facts = factsOf(passage, path);
    const shed = shedding.judge(index, facts);
    passage.shed = shed;
    if (shed !== null && shed.refusal !== null) {
      tally(passage, { ...REFUSED_HERE, ...countedWith(passage, NOTHING, NOTHING) });
      metrics.request("shed");
      answers.shed(passage, shed.refusal);
      return;
    }
    const matched = index.match(facts);
    if (matched.length === 0) {
      count(passage, matched, null);
      pass(passage, NOTHING);
      return;
    }
    const sentMs = clock.monotonicMs();
    limiter
      .check(matched.map((rule) => limiterRule(environment, rule)))
      .then((decision) => {
        metrics.checkTook(clock.monotonicMs() - sentMs);
        endWith(passage.response, decision);
        countWhenKnown(passage, matched, decision);
        if (decision.verdict === "refused") {
          shed?.undo();
          refuse(passage, matched, decision);
        } else {
          const limits = limitFields(passage.index, matched, decision);
          pass(passage, limits, warningsOf(matched, decision));
        }
      })
      .catch((error: unknown) => failed(passage, error));
  }

  /** Shadow rules on other shards answer after the request was let on. */
  function countWhenKnown(
    passage: Passage,
    matched: readonly MatchedRule[],
    decision: LimiterDecision,
  ): void {
    if (decision.later === undefined) count(passage, matched, decision);
    else void decision.later.then((known) => count(passage, matched, known));
  }

  function factsOf(
    { request, identity, isPeerTrusted, route }: Passage,
    path: string,
  ): RequestFacts {
    const overrides = overridesOf(agent.directory(), identity, clock, agent.overrideUsed);
    const { headers } = request;
    const header = (name: string) => headerOf(headers, name);
    const method = request.method ?? "GET";
    const headerNames = () => Object.keys(headers);
    return { method, path, route, header, headerNames, identity, isPeerTrusted, ...overrides };
  }

  function count(
    passage: Passage,
    matched: readonly MatchedRule[],
    decision: LimiterDecision | null,
  ): void {
    tally(passage, {
      ...countedWith(passage, matched, decision?.perRule ?? NOTHING),
      verdict: decision?.verdict ?? "allowed",
      source: decision?.source ?? "redis",
      unchecked: decision?.unchecked ?? NOTHING,
    });
  }

  /** What was asked before the limiter counts with it. */
  function countedWith(
    { listed, shed }: Passage,
    matched: CountedRequest["matched"],
    outcomes: CountedRequest["outcomes"],
  ): Pick<CountedRequest, "matched" | "outcomes"> {
    if (listed !== "under-flood" && shed === null) return { matched, outcomes };
    const isUnderFlood = listed === "under-flood";
    return {
      matched: [
        ...(isUnderFlood ? FLOOD_LISTED : NOTHING),
        ...(shed?.matched ?? NOTHING),
        ...matched,
      ],
      outcomes: [
        ...(isUnderFlood ? [NOT_FLOODED] : NOTHING),
        ...(shed?.outcomes ?? NOTHING),
        ...outcomes,
      ],
    };
  }

  function tally(
    { request, index, identity, requestId, route }: Passage,
    decided: Pick<CountedRequest, "matched" | "outcomes" | "verdict" | "source" | "unchecked">,
  ): void {
    const counted = {
      ...decided,
      index,
      identity,
      method: request.method ?? "GET",
      route,
      requestId,
    };
    agent.count(counted);
    metrics.decided(counted);
    const { tape } = index.settings;
    if (!tape.enabled) return;
    const { method, verdict } = counted;
    const preflight = method === "OPTIONS" && isPreflightOf(request);
    agent.record({ identity, method, route, verdict, preflight }, tape);
  }

  function refuse(
    passage: Passage,
    matched: readonly MatchedRule[],
    decision: LimiterDecision,
  ): void {
    const { binding, unchecked } = decision;
    if (binding !== null && unchecked.includes(binding.ruleId)) {
      metrics.request("unavailable");
      answers.failedClosed(passage, decision);
    } else {
      metrics.request("refused");
      answers.overLimit(passage, matched, decision);
    }
  }

  function pass(
    passage: Passage,
    limits: readonly HeaderField[],
    warned: readonly RuleOutcome[] = NOTHING,
  ): void {
    const { request, response, requestId, index, from } = passage;
    const fields = withWarning(limits, warned, index.settings.headers);
    metrics.request("allowed");
    if (response.destroyed) return;
    // HTTP/1.0 knows no interim answers: there the field means nothing (RFC 9110 §10.1.1).
    const expectsContinue = request.headers.expect !== undefined && request.httpVersion !== "1.0";
    if (expectsContinue) response.writeContinue();
    const { addressHeader } = index.settings.identity;
    addForwarded(request, { from, addressHeader, requestId });
    proxy.forward({
      request,
      response,
      fields: [...fields, ...ownFields(requestId, isDraining())],
      // A warning speaks of no limit that is enforced: what the upstream says of its own stays.
      ownsLimits: limits.length > 0,
      onFailure: (failure) => {
        metrics.upstreamFailed(failure.kind);
        answers.upstreamFailed(passage, failure, fields);
      },
    });
  }

  function failed(to: Answerable, error: unknown): void {
    deps.log.error({ error, requestId: to.requestId }, "request failed inside the gateway");
    metrics.request("unavailable");
    answers.internal(to);
  }

  return (request, response) => {
    const requestId = requestIdOf(request.headers["x-request-id"]);
    const to = { request, response, requestId };
    try {
      handle(to);
    } catch (error) {
      failed(to, error);
    }
  };
}

function isPreflightOf({ method = "GET", headers }: IncomingMessage): boolean {
  return isPreflight({ method, header: (name) => headerOf(headers, name) });
}

/** `close` comes once: after the answer, and when the client hangs up or the upstream fails. */
function endWith(response: ServerResponse, { flight }: LimiterDecision): void {
  if (flight === undefined) return;
  if (response.destroyed || response.closed) flight.end();
  else response.once("close", flight.end);
}
