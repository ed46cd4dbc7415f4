import { type Amount, amountFor, amountsOf, isShedder } from "./limit";
import {
  bareWords,
  costWords,
  limitWords,
  shedderWords,
  shedWords,
  whileWords,
  zoneWords,
} from "./limit-words";
import { listWords } from "./list-words";
import { ANONYMOUS_PLAN, type Plan } from "./plan";
import type { Match, Rule } from "./rule";

type Described = Pick<Rule, "match" | "countBy" | "limit" | "cost" | "priority">;

/**
 * One line for people: `60 per 1m per API key on POST /v1/links/** for plan free`, `sheds test requests on /v1/**
 * while the fleet takes more than 1000 a second, 20 % kept for critical ones`.
 */
export function limitSentence(rule: Described): string {
  if (isShedder(rule.limit)) {
    return [shedWords(rule.priority), ...matchWords(rule.match), whileWords(rule.limit)].join(" ");
  }
  const amounts = amountsSentence(rule);
  const words = costWords(rule.cost);
  const cost = words === costWords(1) ? "" : `, ${words}`;
  return [`${amounts}${cost}`, countByWords(rule.countBy), ...matchWords(rule.match)].join(" ");
}

/** `per API key and route`, `in total` */
export function countByWords(countBy: readonly string[]): string {
  if (countBy.includes("global")) return "in total";
  const words = countBy.map((part) => PART_WORDS[part] ?? `${part.slice("header:".length)} header`);
  return `per ${listWords(words, words.length)}`;
}

export type PlanLimitRow = {
  plan: string;
  /** `60 per 1m`, `unlimited`, `no limit`; of a shedder `shed above 1000 a second` */
  words: string;
  /** Shedder: for every plan alike. */
  from: "perPlan" | "anonymous" | "default" | "shedder" | "none" | "not matched";
};

/** Whether a row says that the plan is held to something. */
export function isLimited({ from, words }: PlanLimitRow): boolean {
  return from !== "shedder" && words !== "no limit" && words !== "unlimited";
}

/** What each plan gets from a rule, in the plans' order; keyless traffic last. */
export function planLimits(
  rule: Pick<Rule, "match" | "countBy" | "limit">,
  plans: readonly Plan[],
): PlanLimitRow[] {
  const ids = [...plans]
    .sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
  return [...ids, ANONYMOUS_PLAN].map((plan) => planLimit(rule, plan));
}

/** What one plan gets from a rule, and where the amount comes from. */
export function planLimit(
  rule: Pick<Rule, "match" | "countBy" | "limit">,
  plan: string,
): PlanLimitRow {
  if (!canMatch(rule, plan)) return { plan, words: "no limit", from: "not matched" };
  const shed = shedderWords(rule.limit);
  if (shed !== null) return { plan, words: shed, from: "shedder" };
  const amount = amountFor(rule.limit, plan);
  if (amount === null) return { plan, words: "no limit", from: "none" };
  const { perPlan, anonymous } = amountsOf(rule.limit);
  const isNamed = Object.hasOwn(perPlan, plan);
  const isAnonymous = plan === ANONYMOUS_PLAN && anonymous !== undefined;
  const from = isNamed ? "perPlan" : isAnonymous ? "anonymous" : "default";
  return { plan, words: limitWords(rule.limit, amount), from };
}

function canMatch({ match, countBy }: Pick<Rule, "match" | "countBy">, plan: string): boolean {
  if (match.plans !== undefined && !match.plans.includes(plan)) return false;
  const isAnonymous = plan === ANONYMOUS_PLAN;
  if (match.authenticated !== undefined && match.authenticated === isAnonymous) return false;
  return !isAnonymous || !(countBy.includes("apiKey") || countBy.includes("customer"));
}

const PART_WORDS: Record<string, string> = {
  client: "client",
  apiKey: "API key",
  customer: "customer",
  ip: "IP address",
  route: "route",
  plan: "plan",
};

/** One amount alone if every plan that the rule can match gets the same, else a short table. */
function amountsSentence({
  match,
  countBy,
  limit,
}: Pick<Rule, "match" | "countBy" | "limit">): string {
  const amounts = amountsOf(limit);
  const named: [string, Amount][] = Object.entries(amounts.perPlan);
  const rows = named.filter(([plan]) => canMatch({ match, countBy }, plan));
  const { plans, authenticated } = match;
  const isAnonymousNamed = rows.some(([plan]) => plan === ANONYMOUS_PLAN);
  if (
    amounts.anonymous !== undefined &&
    !isAnonymousNamed &&
    canMatch({ match, countBy }, ANONYMOUS_PLAN)
  ) {
    rows.push([ANONYMOUS_PLAN, amounts.anonymous]);
  }
  const covered = new Set(rows.map(([plan]) => plan));
  const isAllNamed =
    plans !== undefined
      ? plans.every((plan) => covered.has(plan))
      : authenticated === false && covered.has(ANONYMOUS_PLAN);
  if (amounts.default !== undefined && !isAllNamed) rows.push(["others", amounts.default]);
  const words = rows.map(([, amount]) => bareWords(limit, amount));
  if (words.length === 0) return "no limit";
  const [first = ""] = words;
  const isOne =
    words.every((text) => text === first) && (isAllNamed || amounts.default !== undefined);
  const zone = words.every((text) => text === "unlimited") ? "" : zoneWords(limit);
  if (isOne) return `${first}${zone}`;
  const table = rows.map(([plan], i) => `${plan} ${words[i] ?? ""}`);
  return `${listWords(table, 4)}${zone}`;
}

function matchWords(match: Match): string[] {
  const { methods, routes, plans, authenticated, headers, ips } = match;
  const where = [
    ...(methods === undefined ? [] : [methods.join(", ")]),
    ...(routes === undefined ? [] : [listWords(routes)]),
  ].join(" ");
  const words: string[] = [];
  if (where !== "") words.push(`on ${where}`);
  if (plans !== undefined) {
    words.push(`for ${plans.length === 1 ? "plan" : "plans"} ${listWords(plans, 4)}`);
  }
  if (authenticated !== undefined) words.push(authenticated ? "with a key" : "without a key");
  for (const [name, values] of Object.entries(headers ?? {})) {
    words.push(`with ${name}${values.length === 0 ? "" : `: ${listWords(values)}`}`);
  }
  if (ips !== undefined) words.push(`from ${listWords(ips)}`);
  return words;
}
