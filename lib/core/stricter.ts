import { compareAmounts } from "./amount-compare";
import { orderedCountBy } from "./count-by";
import { algorithmOf, zoneOf } from "./diff-counting";
import { durationSeconds } from "./duration";
import { type Amount, amountFor, amountsOf, isShedder, type Limit } from "./limit";
import { bareWords, costWords } from "./limit-words";
import { ANONYMOUS_PLAN } from "./plan";
import { canonicalJson } from "./revision-hash";
import type { Cost, Match, Rule } from "./rule";

export type EvidenceNeed = { needsEvidence: boolean; why: string };

/**
 * Whether a change of one rule may refuse what passed before, so that evidence is due: the rule becomes enforced,
 * or an enforced rule changes in anything but its name, description, meta, or numbers that only allow more.
 * Removing, switching off and going to shadow never need it. `why` is empty when nothing is due.
 */
export function isStricterOrEnforced(before: Rule | null, after: Rule | null): EvidenceNeed {
  if (after === null || after.mode !== "enforce") return FREE;
  if (before === null) return due("a new rule starts in enforce");
  if (before.mode !== "enforce") return due(`${before.mode} → enforce`);
  const reasons = [
    ...definitionReasons(before, after),
    ...costReasons(before.cost, after.cost),
    ...shedderReasons(before, after),
    ...amountReasons(before.limit, after.limit),
  ];
  return reasons.length === 0 ? FREE : due(reasons.join("; "));
}

/**
 * Rules that a change of the plans alone makes stricter: keys of a plan that is not there get `default`, since it
 * was removed, or until it comes back after a rollback took it away. `rules` are those of the new content.
 */
export function rulesStricterByPlans(
  { removed = [], added = [] }: { removed?: readonly string[]; added?: readonly string[] },
  rules: readonly Rule[],
): { rule: string; why: string }[] {
  return rules.flatMap(({ id, mode, limit }) => {
    if (mode !== "enforce") return [];
    const fallback = amountsOf(limit).default ?? null;
    const reasons = [
      ...removed.flatMap((plan) => {
        const words = lossWords(amountFor(limit, plan), fallback);
        return words === null ? [] : [`plan ${plan} is removed and its keys get default: ${words}`];
      }),
      ...added.flatMap((plan) => {
        const words = lossWords(fallback, amountFor(limit, plan));
        return words === null ? [] : [`plan ${plan} is added and its keys had default: ${words}`];
      }),
    ];
    return reasons.length === 0 ? [] : [{ rule: id, why: reasons.join("; ") }];
  });
}

function lossWords(before: Amount | null, after: Amount | null): string | null {
  const { direction, words } = compareAmounts(before, after);
  return direction === "stricter" || direction === "mixed" ? words : null;
}

const FREE: EvidenceNeed = { needsEvidence: false, why: "" };

function due(why: string): EvidenceNeed {
  return { needsEvidence: true, why };
}

/** Every field of an enforced rule that is no number and no word for people. */
function definitionReasons(before: Rule, after: Rule): string[] {
  const changed: [string, boolean][] = [
    ["what it matches changes", matchKey(before.match) !== matchKey(after.match)],
    ["what it counts by changes", countKey(before) !== countKey(after)],
    ["its kind changes", before.limit.kind !== after.limit.kind],
    ["its algorithm changes", algorithmOf(before.limit) !== algorithmOf(after.limit)],
    ["its time zone changes", zoneOf(before.limit) !== zoneOf(after.limit)],
    [
      "its lease is longer",
      before.limit.kind === after.limit.kind &&
        leaseSeconds(after.limit) > leaseSeconds(before.limit),
    ],
    ["its precision changes", before.precision !== after.precision],
    ["its fail mode changes", before.failMode !== after.failMode],
    ["its priority changes", isShedder(after.limit) && before.priority !== after.priority],
  ];
  return changed.filter(([, isChanged]) => isChanged).map(([reason]) => reason);
}

/** Amounts by plan, the unnamed ones under `default`: what falls from perPlan to default is compared, too. */
function amountReasons(before: Limit, after: Limit): string[] {
  const reason = (who: string, from: Amount | null, to: Amount | null): string | null => {
    const words = lossWords(from, to);
    if (words === null) return null;
    return `${who}: ${wordsOf(before, from)} → ${wordsOf(after, to)}, ${words}`;
  };
  const plans = [
    ...new Set([
      ...Object.keys(amountsOf(before).perPlan),
      ...Object.keys(amountsOf(after).perPlan),
      ANONYMOUS_PLAN,
    ]),
  ].sort();
  const reasons = plans.map((plan) =>
    reason(`plan ${plan}`, amountFor(before, plan), amountFor(after, plan)),
  );
  reasons.push(
    reason("default", amountsOf(before).default ?? null, amountsOf(after).default ?? null),
  );
  return reasons.filter((reason) => reason !== null);
}

function wordsOf(limit: Limit, amount: Amount | null): string {
  return amount === null ? "no limit" : bareWords(limit, amount);
}

/** What a header says may be anything. */
function costReasons(before: Cost, after: Cost): string[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  const words = `cost ${costText(before)} → ${costText(after)}`;
  if (typeof before !== "number" && "header" in before) {
    const isSameHeader =
      typeof after !== "number" && "header" in after && after.header === before.header;
    // Each request cost at least 1 before.
    const isLess = isSameHeader ? after.default <= before.default : after === 1;
    return isLess ? [] : [words];
  }
  if (typeof after !== "number" && "header" in after) return [words];
  const [from, to] = [routeCosts(before), routeCosts(after)];
  const routes = new Set([...Object.keys(from.routes), ...Object.keys(to.routes)]);
  const costOn = (costs: typeof from, route: string) =>
    (Object.hasOwn(costs.routes, route) ? costs.routes[route] : undefined) ?? costs.default;
  const isHigher =
    to.default > from.default ||
    [...routes].some((route) => costOn(to, route) > costOn(from, route));
  return isHigher ? [words] : [];
}

function routeCosts(cost: Exclude<Cost, { header: string }>) {
  return typeof cost === "number" ? { routes: {}, default: cost } : cost;
}

function costText(cost: Cost): string {
  return typeof cost === "number" ? String(cost) : costWords(cost);
}

function shedderReasons(before: Rule, after: Rule): string[] {
  const [from, to] = [before.limit, after.limit];
  if (from.kind === "fleet" && to.kind === "fleet") {
    return [
      ...(to.capacity < from.capacity ? [`capacity ${from.capacity} → ${to.capacity}`] : []),
      ...(to.reserve > from.reserve ? [`reserve ${from.reserve} → ${to.reserve}`] : []),
    ];
  }
  if (from.kind === "worker" && to.kind === "worker" && to.maxDelayMs < from.maxDelayMs) {
    return [`maxDelayMs ${from.maxDelayMs} → ${to.maxDelayMs}`];
  }
  return [];
}

/** A longer lease keeps what a dead gateway had in flight, and so refuses others, for longer. */
function leaseSeconds(limit: Limit): number {
  return limit.kind === "concurrency" ? (durationSeconds(limit.lease) ?? 0) : 0;
}

function countKey(rule: Rule): string {
  return orderedCountBy(rule.countBy).join(" ");
}

/** Lists of a match are sets: their order means nothing, and absent is not the same as empty. */
export function matchKey(match: Match): string {
  const { methods, routes, plans, authenticated, headers, ips } = match;
  const sets = { methods, routes, plans, ips };
  return canonicalJson({
    authenticated,
    sets: Object.fromEntries(
      Object.entries(sets).map(([name, items]) => [
        name,
        items && [...new Set<string>(items)].sort(),
      ]),
    ),
    headers: Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, values]) => [name, [...new Set(values)].sort()]),
    ),
  });
}
