import type { IncomingMessage, ServerResponse } from "node:http";
import type { Agent } from "@/lib/agent/agent";
import type { Clock } from "@/lib/clock";
import { canonicalPath } from "@/lib/core/canonical-path";
import type { HeaderField } from "@/lib/core/headers";
import type { Identity } from "@/lib/core/identity";
import type { Amount } from "@/lib/core/limit";
import type { MatchedRule, RulesetIndex } from "@/lib/core/ruleset-index";
import { type Limiter, type LimiterDecision, limiterRule } from "@/lib/limiter";
import type { Log } from "@/lib/log";
import { type Answerable, createAnswers, limitFields, ownFields } from "./answers";
import type { ClientAddress } from "./client-address";
import { addForwarded } from "./forwarded";
import { removeHopByHop } from "./hop-by-hop";
import { identify } from "./identify";
import type { Metrics } from "./metrics";
import type { UpstreamProxy } from "./proxy";
import { requestIdOf } from "./request-id";
import { takeOriginForm } from "./request-target";

type Deps = {
  environment: string;
  agent: Pick<Agent, "rules" | "directory" | "lookUpKey" | "count">;
  limiter: Pick<Limiter, "check">;
  proxy: UpstreamProxy;
  metrics: Metrics;
  clientAddress(request: IncomingMessage): ClientAddress;
  isDraining(): boolean;
  clock: Clock;
  log: Log;
};

/** One request on its way through. */
type Passage = Answerable & {
  index: RulesetIndex;
  identity: Identity;
  isPeerTrusted: boolean;
  route: string;
};

const NOTHING: readonly never[] = [];
const noOverride = () => null;

/** Canonical path, who, which rules, check, count, then on to the upstream or an answer of our own. */
export function createRequestHandler(
  deps: Deps,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { environment, agent, limiter, proxy, metrics, clock, isDraining } = deps;
  const answers = createAnswers({ isDraining });

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
    const { settings } = index;
    // First of all, so that who sent it is judged by what the upstream will see.
    removeHopByHop(request.headers);
    const { address, isPeerTrusted, isJunk } = deps.clientAddress(request);
    if (isJunk) metrics.forwardedForJunk();
    const { headers } = request;
    const who = identify({ headers, address, settings, lookUpKey: agent.lookUpKey });
    if (who.isUnknownKey && settings.unknownKey === "reject") {
      metrics.request("unauthenticated");
      answers.unknownKey({ ...to, index });
      return;
    }
    const path = canonicalPath(target, { caseInsensitive: settings.caseInsensitivePaths });
    const route = index.routeOf(path);
    decide({ ...to, index, identity: who.identity, isPeerTrusted, route }, path);
  }

  function decide(passage: Passage, path: string): void {
    const matched = match(passage, path);
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
        count(passage, matched, decision);
        if (decision.verdict === "refused") refuse(passage, matched, decision);
        else pass(passage, limitFields(passage.index, matched, decision));
      })
      .catch((error: unknown) => failed(passage, error));
  }

  function match({ request, index, identity, route }: Passage, path: string): MatchedRule[] {
    const { client } = identity;
    const directory = agent.directory();
    const override = directory.hasOverrides(client)
      ? (rule: string): Amount | null => directory.findOverride(client, rule, clock.nowMs())
      : noOverride;
    const { headers } = request;
    const header = (name: string) => {
      // hasOwn: a rule may name a header "constructor".
      const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
      return Array.isArray(value) ? value.join(", ") : value;
    };
    const method = request.method ?? "GET";
    const headerNames = () => Object.keys(headers);
    return index.match({ method, path, route, header, headerNames, identity, override });
  }

  function count(
    { request, index, identity, requestId, route }: Passage,
    matched: readonly MatchedRule[],
    decision: LimiterDecision | null,
  ): void {
    const counted = {
      index,
      matched,
      outcomes: decision?.perRule ?? NOTHING,
      verdict: decision?.verdict ?? "allowed",
      source: decision?.source ?? "redis",
      unchecked: decision?.unchecked ?? NOTHING,
      identity,
      method: request.method ?? "GET",
      route,
      requestId,
    } as const;
    agent.count(counted);
    metrics.decided(counted);
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

  function pass(passage: Passage, fields: readonly HeaderField[]): void {
    const { request, response, requestId, isPeerTrusted } = passage;
    metrics.request("allowed");
    if (response.destroyed) return;
    // HTTP/1.0 knows no interim answers: there the field means nothing (RFC 9110 §10.1.1).
    const expectsContinue = request.headers.expect !== undefined && request.httpVersion !== "1.0";
    if (expectsContinue) response.writeContinue();
    addForwarded(request, { isPeerTrusted, requestId });
    proxy.forward({
      request,
      response,
      fields: [...fields, ...ownFields(requestId, isDraining())],
      ownsLimits: fields.length > 0,
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
