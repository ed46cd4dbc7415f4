import type { RuleReason } from "./client-reasons";
import { OTHER_ROUTE } from "./counts";
import { type Amount, amountFor, isShedder } from "./limit";
import { countByWords } from "./limit-sentence";
import { limitWords, shedWords, whileWords } from "./limit-words";
import { listWords } from "./list-words";
import type { ListRuling } from "./lists";
import { listOfRule } from "./own-rules";
import type { Rule } from "./rule";

/** A hit as it is told: what was refused, by which state of the rule. */
export type ToldHit = {
  atMs: number;
  ruleId: string;
  plan: string;
  method: string;
  route: string;
  mode: "shadow" | "enforce";
  retryAfterSeconds: number | null;
  /** The rule's revision that refused; null when it is gone, or a list's. */
  rule: Pick<Rule, "name" | "limit" | "countBy" | "priority"> | null;
  /** An override that was in force then. */
  override: { client: string; limit: Amount } | null;
  /** The client's requests of that minute that the rule counted. */
  minute: { requests: number; rejections: number } | null;
};

/**
 * One sentence for a support ticket: `free plan, 60 per 1m per API key: 61 requests in the minute 03:12 UTC, 1 of them
 * refused; refused at 2026-11-30 03:12:07 UTC (GET /v1/messages); next at 03:12:08 UTC`.
 */
export function hitSentence(hit: ToldHit): string {
  const { atMs, mode, method, route, minute, retryAfterSeconds } = hit;
  const verb = mode === "enforce" ? "refused" : "would have been refused";
  const parts: string[] = [];
  if (minute !== null && minute.requests > 0) {
    const requests = minute.requests === 1 ? "1 request" : `${minute.requests} requests`;
    parts.push(
      `${requests} in the minute ${timeWords(atMs).slice(0, 5)} UTC, ${minute.rejections} of them ${mode === "enforce" ? "refused" : "over the limit"}`,
    );
  }
  parts.push(
    `${verb} at ${dateWords(atMs)} ${timeWords(atMs)} UTC (${method} ${route === OTHER_ROUTE ? "on a route without a name" : route})`,
  );
  if (mode === "shadow") parts.push("the rule only counts (shadow), so the request passed");
  else if (retryAfterSeconds === null) parts.push(foreverWords(hit));
  else parts.push(`next at ${timeWords(atMs + retryAfterSeconds * 1000)} UTC`);
  return `${limitOfHit(hit)}: ${parts.join("; ")}`;
}

function limitOfHit({ ruleId, plan, rule, override }: ToldHit): string {
  const list = listOfRule(ruleId);
  if (list === "deny") return "on the deny list";
  if (list === "flood") return "more requests a second than the flood list lets one address send";
  if (rule === null) return `${plan} plan, rule ${ruleId}`;
  const { limit } = rule;
  if (isShedder(limit)) return `rule ${rule.name} ${shedWords(rule.priority)} ${whileWords(limit)}`;
  const amount = override?.limit ?? amountFor(limit, plan);
  const words = amount === null ? "no limit" : limitWords(limit, amount);
  const from = override === null ? `${plan} plan` : `override for ${override.client}`;
  return `${from}, ${words} ${countByWords(rule.countBy)}`;
}

function foreverWords({ ruleId }: ToldHit): string {
  return listOfRule(ruleId) === "deny"
    ? "waiting does not help: the entry has to go"
    : "waiting does not help: one request costs more than the limit holds";
}

/** What keeps enforced rules from refusing as they say. */
export type Loosened = {
  /** Stops of enforcement in force, each with the rules that it set to shadow. */
  stops: readonly { rules: readonly string[]; words: string }[];
  /** Live gateways without Redis: each grants its own share of a limit. */
  localGateways: readonly string[];
};

/** Why a client that nobody refused was not: one sentence. */
export function notLimitedSentence({
  ruling,
  reasons,
  hasShadowHits,
  loosened: { stops, localGateways },
}: {
  ruling: ListRuling | null;
  reasons: readonly RuleReason[];
  hasShadowHits: boolean;
  loosened: Loosened;
}): string {
  if (ruling?.list === "allow")
    return `not limited: ${ruling.value} is on the allow list, so no rule is asked`;
  if (ruling?.list === "deny")
    return `${ruling.value} is on the deny list: every request is refused, though none is in the log`;
  const counting = reasons.filter(({ applies }) => applies !== "never");
  if (counting.some(({ mode }) => mode === "enforce"))
    return `not limited: no refusal of it is in the log that is kept${localWords(localGateways)}`;
  for (const { rule } of counting) {
    const stop = stops.find(({ rules }) => rules.includes(rule));
    if (stop !== undefined) return `not limited: rule ${rule} only counts, as ${stop.words}`;
  }
  if (counting.length > 0)
    return `not limited: only rules in shadow count it, and those refuse nothing${hasShadowHits ? "; some requests were over their limits" : ""}`;
  if (reasons.length === 0) return "not limited: the live version has no rules";
  const unlimited = reasons.find(({ reason }) => reason.startsWith("unlimited"));
  return unlimited === undefined
    ? "not limited: no rule of the live version counts it"
    : `not limited: ${unlimited.reason}`;
}

function localWords(gateways: readonly string[]): string {
  if (gateways.length === 0) return "";
  const who = `${gateways.length === 1 ? "gateway" : "gateways"} ${listWords(gateways, 3)}`;
  return `; ${who} cannot reach Redis and ${gateways.length === 1 ? "limits" : "limit"} by an own share of each limit`;
}

function dateWords(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function timeWords(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}
