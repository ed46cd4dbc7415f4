import type { IncomingMessage, ServerResponse } from "node:http";
import type { RuleOutcome } from "@/lib/core/check";
import { type HeaderField, rateLimitHeaders, retryAfterSeconds } from "@/lib/core/headers";
import { DENY_RULE } from "@/lib/core/own-rules";
import {
  DETAILS,
  floodProblem,
  type GatewayProblem,
  gatewayProblem,
  PROBLEM_TYPE,
  quotaProblem,
} from "@/lib/core/problem";
import type { MatchedRule, RulesetIndex } from "@/lib/core/ruleset-index";
import { shedProblem } from "@/lib/core/shed-problem";
import type { LimiterDecision } from "@/lib/limiter";
import type { ProxyFailure } from "./proxy";

/** A request that can be answered; without an index no rules were there yet. */
export type Answerable = {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  index?: RulesetIndex;
};

const NOTHING: readonly never[] = [];

/** The fields of a decision's binding rule; none without one. */
export function limitFields(
  index: RulesetIndex,
  matched: readonly MatchedRule[],
  decision: LimiterDecision,
): readonly HeaderField[] {
  const { binding } = decision;
  if (binding === null) return NOTHING;
  const rule = enforcedOf(matched, binding.ruleId);
  return rateLimitHeaders(decision, rule?.limit ?? null, index.settings.headers);
}

/** What rules that warn would have refused of a request that passes; nothing of those that were not asked. */
export function warningsOf(
  matched: readonly MatchedRule[],
  { perRule, unchecked }: Pick<LimiterDecision, "perRule" | "unchecked">,
): readonly RuleOutcome[] {
  let warned: RuleOutcome[] | undefined;
  for (let i = 0; i < matched.length; i += 1) {
    const { compiled } = matched[i] ?? {};
    const outcome = perRule[i];
    if (compiled?.rule.warn !== true || compiled.mode !== "shadow") continue;
    if (outcome === undefined || outcome.allowed || outcome.unasked === true) continue;
    if (unchecked.includes(compiled.id)) continue;
    warned ??= [];
    warned.push(outcome);
  }
  return warned ?? NOTHING;
}

/** A candidate in shadow has the id of its live rule. */
function enforcedOf(
  matched: readonly MatchedRule[],
  id: string | undefined,
): MatchedRule | undefined {
  return matched.find(({ compiled }) => compiled.id === id && compiled.mode === "enforce");
}

/** What every answer carries, proxied or ours. `isLast`: no further request on this connection. */
export function ownFields(requestId: string, isLast: boolean): HeaderField[] {
  const id: HeaderField = ["X-Request-Id", requestId];
  return isLast ? [id, ["Connection", "close"]] : [id];
}

/** The answers that a gateway makes itself, all RFC 9457. */
export function createAnswers({ isDraining }: { isDraining(): boolean }) {
  function answer(to: Answerable, problem: GatewayProblem, fields: readonly HeaderField[]): void {
    const { request, response, requestId, index } = to;
    if (response.headersSent || response.destroyed) return;
    const body = Buffer.from(JSON.stringify(problem));
    const own = ownFields(requestId, isDraining());
    const head = ["Content-Type", PROBLEM_TYPE, "Content-Length", String(body.length)];
    head.push("Cache-Control", "no-store", ...fields.flat(), ...own.flat());
    const { origin } = request.headers;
    // The upstream, which would say who may read its answers, was not asked; there is nothing secret in ours.
    if (origin !== undefined && index?.settings.headers.expose === true) {
      head.push("Access-Control-Allow-Origin", origin, "Access-Control-Allow-Credentials", "true");
      head.push("Vary", "Origin");
    }
    response.writeHead(problem.status, head);
    response.end(body);
  }

  return {
    notReady: (to: Answerable) =>
      answer(to, gatewayProblem(503, DETAILS.notReady, { requestId: to.requestId }), [
        ["Retry-After", "1"],
      ]),

    badTarget: (to: Answerable) => {
      const detail = "The request target must be a path or an http(s) address.";
      answer(to, gatewayProblem(400, detail, { requestId: to.requestId }), NOTHING);
    },

    unknownKey: (to: Answerable & { index: RulesetIndex }) => {
      const more = { requestId: to.requestId, version: to.index.id.version };
      const fields: HeaderField[] = [["WWW-Authenticate", "Bearer"]];
      answer(to, gatewayProblem(401, DETAILS.unknownKey, more), fields);
    },

    denied: (to: Answerable & { index: RulesetIndex }) => {
      const { requestId, index } = to;
      const more = { requestId, version: index.id.version, rule: DENY_RULE.id };
      answer(to, gatewayProblem(403, DETAILS.denied, more), NOTHING);
    },

    flooded: (to: Answerable & { index: RulesetIndex }) => {
      const { requestId, index } = to;
      answer(to, floodProblem({ requestId, version: index.id.version }), [["Retry-After", "1"]]);
    },

    /** A shedder speaks for itself only: no fields of other rules. */
    shed: (
      to: Answerable & { index: RulesetIndex },
      { rule, retryAfter }: { rule: string; retryAfter: number },
    ) => {
      const { requestId, index } = to;
      const problem = shedProblem({ rule, version: index.id.version, requestId, retryAfter });
      answer(to, problem, [["Retry-After", String(retryAfter)]]);
    },

    overLimit: (
      to: Answerable & { index: RulesetIndex },
      matched: readonly MatchedRule[],
      decision: LimiterDecision,
    ) => {
      const { binding, perRule } = decision;
      const rule = enforcedOf(matched, binding?.ruleId);
      if (binding === null || rule === undefined)
        throw new Error(`a refusal must name a matched rule, got ${binding?.ruleId}`);
      const violated = perRule
        .filter(({ role, allowed }) => role === "enforced" && !allowed)
        .map(({ ruleId }) => ruleId);
      const problem = quotaProblem({
        rule: binding.ruleId,
        limit: rule.limit,
        cost: rule.cost,
        violated,
        version: to.index.id.version,
        requestId: to.requestId,
        retryAfter: retryAfterSeconds(binding),
      });
      answer(to, problem, limitFields(to.index, matched, decision));
    },

    /** Nobody could check, and the rule's failMode is closed. */
    failedClosed: (to: Answerable & { index: RulesetIndex }, decision: LimiterDecision) => {
      const { binding } = decision;
      const retryAfter = (binding && retryAfterSeconds(binding)) ?? 1;
      const problem = gatewayProblem(503, DETAILS.limiterClosed, {
        requestId: to.requestId,
        version: to.index.id.version,
        ...(binding === null ? {} : { rule: binding.ruleId }),
        retryAfter,
      });
      answer(to, problem, [["Retry-After", String(retryAfter)]]);
    },

    upstreamFailed: (to: Answerable, failure: ProxyFailure, fields: readonly HeaderField[]) =>
      answer(
        to,
        gatewayProblem(failure.status, failure.detail, { requestId: to.requestId }),
        fields,
      ),

    internal: (to: Answerable) =>
      answer(
        to,
        gatewayProblem(503, "This gateway failed on this request.", { requestId: to.requestId }),
        NOTHING,
      ),
  };
}
