import { type Amount, amountFor, amountsOf, amountWords } from "./limit";
import { ANONYMOUS_PLAN, type Plan } from "./plan";
import type { Cost, Match, Rule } from "./rule";

/** One line for people: `60 per 1m per API key on POST /v1/links/** for plan free`. */
export function limitSentence(rule: Pick<Rule, "match" | "countBy" | "limit" | "cost">): string {
  const amounts = amountsSentence(rule);
  const cost = rule.cost === 1 ? "" : `, ${costWords(rule.cost)}`;
  return [`${amounts}${cost}`, countByWords(rule.countBy), ...matchWords(rule.match)].join(" ");
}

/** `5 a request`, `5 a request on /v1/search, else 1`, `as the x-cost header of a trusted hop says, else 1` */
export function costWords(cost: Cost): string {
  if (typeof cost === "number") return `${cost} a request`;
  if ("header" in cost) {
    return `as the ${cost.header} header of a trusted hop says, else ${cost.default} a request`;
  }
  const byCost = new Map<number, string[]>();
  for (const [route, each] of Object.entries(cost.routes)) {
    byCost.set(each, [...(byCost.get(each) ?? []), route]);
  }
  const parts = [...byCost].map(([each, routes]) => `${each} a request on ${listWords(routes)}`);
  return [...parts, `${parts.length === 0 ? "" : "else "}${cost.default} a request`].join(", ");
}

/** `per API key and route`, `in total` */
export function countByWords(countBy: readonly string[]): string {
  if (countBy.includes("global")) return "in total";
  const words = countBy.map((part) => PART_WORDS[part] ?? `${part.slice("header:".length)} header`);
  return `per ${listWords(words, words.length)}`;
}

export type PlanLimitRow = {
  plan: string;
  /** `60 per 1m`, `unlimited`, `no limit` */
  words: string;
  from: "perPlan" | "anonymous" | "default" | "none" | "not matched";
};

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
  const amount = amountFor(rule.limit, plan);
  if (amount === null) return { plan, words: "no limit", from: "none" };
  const { perPlan, anonymous } = amountsOf(rule.limit);
  const isNamed = Object.hasOwn(perPlan, plan);
  const isAnonymous = plan === ANONYMOUS_PLAN && anonymous !== undefined;
  const from = isNamed ? "perPlan" : isAnonymous ? "anonymous" : "default";
  return { plan, words: amountWords(amount), from };
}

function canMatch({ match, countBy }: Pick<Rule, "match" | "countBy">, plan: string): boolean {
  if (match.plans !== undefined && !match.plans.includes(plan)) return false;
  const isAnonymous = plan === ANONYMOUS_PLAN;
  if (match.authenticated !== undefined && match.authenticated === isAnonymous) return false;
  return !isAnonymous || !(countBy.includes("apiKey") || countBy.includes("customer"));
}

/** `a`, `a and b`, `a, b and 2 more`: at most `max` items by name. */
export function listWords(items: readonly string[], max = 3): string {
  const shownItems = items.slice(0, max);
  const more = items.length - shownItems.length;
  if (more > 0) return `${shownItems.join(", ")} and ${more} more`;
  const last = shownItems.at(-1) ?? "";
  return shownItems.length < 2 ? last : `${shownItems.slice(0, -1).join(", ")} and ${last}`;
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
  const words = rows.map(([, amount]) => amountWords(amount));
  if (words.length === 0) return "no limit";
  const [first = ""] = words;
  const isOne =
    words.every((text) => text === first) && (isAllNamed || amounts.default !== undefined);
  if (isOne) return first;
  return listWords(
    rows.map(([plan], i) => `${plan} ${words[i] ?? ""}`),
    4,
  );
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
