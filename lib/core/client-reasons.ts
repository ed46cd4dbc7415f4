import { type ClientOverride, factsOfClient, type KnownClient, lanesOf } from "./client-rules";
import type { Lane } from "./counts";
import { type Amount, amountFor, isShedder } from "./limit";
import { countByWords } from "./limit-sentence";
import { limitWords, shedderWords, shedWords, whileWords } from "./limit-words";
import { listWords } from "./list-words";
import { overrideSubjects } from "./override-subject";
import { ANONYMOUS_PLAN } from "./plan";
import type { Match, Mode, Rule } from "./rule";
import type { Body, RuleEntry } from "./ruleset";

/** always: counts every request. some: those that fit its conditions. never: none of this client's. */
export type Applies = "always" | "some" | "never";

/** One rule as it was tried for a client, and why it does or does not count it. */
export type RuleReason = {
  rule: string;
  name: string;
  lane: Lane;
  /** As this client meets it. */
  mode: Mode;
  applies: Applies;
  reason: string;
  /** `60 per 1m`; null where it holds the client to nothing. */
  limit: string | null;
};

export function ruleReasons(
  body: Body,
  known: KnownClient,
  overrides: readonly ClientOverride[],
): RuleReason[] {
  return body.rules.flatMap((entry): RuleReason[] => {
    const lanes = lanesOf(entry, known);
    const rule = entry.live?.rule ?? entry.candidate?.rule;
    if (lanes.length === 0 && rule !== undefined) {
      const { id, name } = rule;
      const off = { rule: id, name, lane: "live" as const, mode: "off" as const, limit: null };
      return [{ ...off, applies: "never", reason: "it is off" }];
    }
    return lanes.map(({ rule, lane, mode }) => {
      const judged = judge(rule, known, overrides);
      const counts = judged.applies !== "never";
      const reason = `${judged.reason}${counts ? laneWords(entry, lane, mode) : ""}`;
      return { rule: rule.id, name: rule.name, lane, mode, ...judged, reason };
    });
  });
}

type Judged = Pick<RuleReason, "applies" | "reason" | "limit">;

function judge(rule: Rule, known: KnownClient, overrides: readonly ClientOverride[]): Judged {
  const never = (reason: string): Judged => ({ applies: "never", reason, limit: null });
  const unmatched = unmatchedWhy(rule.match, known);
  if (unmatched !== null) return never(unmatched);
  const conditions = [...requestConditions(rule.match, known), ...countedHeaders(rule)];
  if (isShedder(rule.limit)) {
    const reason = `${shedWords(rule.priority)} ${whileWords(rule.limit)}, whoever asks`;
    return { applies: "some", reason, limit: shedderWords(rule.limit) };
  }
  const lacked = lackedWhy(rule, known);
  if (lacked !== null) return never(lacked);
  const override = overrideFor(rule, known, overrides);
  const amount = override?.limit ?? amountFor(rule.limit, known.plan);
  if (amount === null) return never(`it names no limit for plan ${known.plan}`);
  if (amount === "unlimited")
    return never(
      override === null
        ? `unlimited for plan ${known.plan}`
        : `unlimited by an override for ${override.client}`,
    );
  const limit = limitWords(rule.limit, amount);
  const from = override === null ? `plan ${known.plan}` : `an override for ${override.client}`;
  const counted = `${limit} ${countByWords(rule.countBy)} by ${from}`;
  return conditions.length === 0
    ? { applies: "always", reason: counted, limit }
    : { applies: "some", reason: `${counted}, only ${conditions.join(" ")}`, limit };
}

/** Of the strongest subject that has one, as gateways choose. */
export function overrideFor(
  { id, countBy }: Pick<Rule, "id" | "countBy">,
  known: KnownClient,
  overrides: readonly ClientOverride[],
): ClientOverride | null {
  const facts = factsOfClient(known, overrides, "");
  for (const subject of overrideSubjects(countBy)) {
    const amount: Amount | null = facts.override(id, subject);
    if (amount === null) continue;
    return overrides.find((each) => each.rule === id && each.limit === amount) ?? null;
  }
  return null;
}

/** Conditions on the client itself that do not hold; null when they do. */
function unmatchedWhy({ plans, authenticated }: Match, known: KnownClient): string | null {
  const hasKey = known.customer !== null;
  if (authenticated !== undefined && authenticated !== hasKey)
    return authenticated ? "it is for requests with a key" : "it is for requests without a key";
  if (plans !== undefined && !plans.includes(known.plan))
    return `it is for ${plans.length === 1 ? "plan" : "plans"} ${listWords(plans, 5)}, this client is on ${known.plan}`;
  return null;
}

function lackedWhy({ countBy }: Pick<Rule, "countBy">, { customer, plan }: KnownClient) {
  const isKeyless = customer === null || plan === ANONYMOUS_PLAN;
  const lacked = countBy.find((part) => part === "apiKey" || part === "customer");
  if (!isKeyless || lacked === undefined) return null;
  return `it counts ${countByWords(countBy)}, and an address has ${lacked === "apiKey" ? "no key" : "no customer"}`;
}

/** What a request of the client must be for the rule to count it. */
function requestConditions({ methods, routes, headers, ips }: Match, known: KnownClient) {
  const where = [
    ...(methods === undefined ? [] : [methods.join(", ")]),
    ...(routes === undefined ? [] : [listWords(routes, 5)]),
  ].join(" ");
  const names = Object.entries(headers ?? {});
  const from = known.client.startsWith("ip:") ? "if its address is in" : "from";
  return [
    ...(where === "" ? [] : [`on ${where}`]),
    ...names.map(([name, values]) =>
      values.length === 0 ? `with header ${name}` : `with header ${name}: ${listWords(values)}`,
    ),
    ...(ips === undefined ? [] : [`${from} ${listWords(ips, 5)}`]),
  ];
}

/** A request without a header that the rule counts by is not counted. */
function countedHeaders({ countBy, match }: Rule): string[] {
  const names = countBy.flatMap((part) =>
    part.startsWith("header:") ? [part.slice("header:".length)] : [],
  );
  return names
    .filter((name) => match.headers?.[name] === undefined)
    .map((name) => `with header ${name}`);
}

function laneWords({ share }: RuleEntry, lane: Lane, mode: Mode): string {
  if (lane === "live") return mode === "shadow" ? "; in shadow, so it refuses nothing" : "";
  const percent = typeof share === "number" ? `${share} %` : "a share";
  if (mode === "shadow" && share !== undefined && share !== 0)
    return `; this client is not among the ${percent} that get the candidate enforced, so it refuses nothing`;
  if (mode === "shadow") return "; a candidate beside the live rule, which refuses nothing";
  return `; this client is among the ${percent} that get the candidate enforced`;
}
