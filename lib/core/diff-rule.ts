import { compareAmounts, times } from "./amount-compare";
import type { FieldDiff } from "./api/change";
import { countingHash } from "./counting-hash";
import { fieldDiff, isEqual, leafDiffs, setDiff, valueWords } from "./field-diff";
import { type Amount, amountFor, amountsOf, amountWords, type Limit } from "./limit";
import { countByWords } from "./limit-sentence";
import { ANONYMOUS_PLAN } from "./plan";
import type { Cost, Match, Mode, Rule } from "./rule";

/** From this many times stricter or looser on, a change is loud: most likely a typo, never a detail. */
const LOUD_FACTOR = 10;

/** What differs between two states of a rule, what matters most first. Empty only for equal rules. */
export function diffRule(before: Rule, after: Rule): FieldDiff[] {
  return [
    ...modeDiff(before.mode, after.mode),
    ...countingDiff(before, after),
    ...limitDiffs(before.limit, after.limit),
    ...costDiff(before.cost, after.cost),
    ...matchDiffs(before.match, after.match),
    ...(["failMode", "precision", "priority"] as const).flatMap((name) =>
      leafDiffs(before[name], after[name], name),
    ),
    ...(["name", "description"] as const).flatMap((name) =>
      leafDiffs(before[name], after[name], name),
    ),
    ...leafDiffs(before.meta, after.meta, "meta"),
  ];
}

export function countersRestart(before: Rule, after: Rule): boolean {
  return countingHash(before) !== countingHash(after);
}

const MODE_EFFECTS: Record<Mode, string> = {
  enforce: "it starts to refuse requests",
  shadow: "it only counts",
  off: "it does nothing",
};

function modeDiff(before: Mode, after: Mode): FieldDiff[] {
  if (before === after) return [];
  const direction = after === "enforce" ? "stricter" : before === "enforce" ? "looser" : "other";
  const sentence = `mode ${before} → ${after}: ${MODE_EFFECTS[after]}`;
  return [fieldDiff("mode", [before, after], sentence, { direction, loud: after === "enforce" })];
}

function countingDiff(before: Rule, after: Rule): FieldDiff[] {
  const restarts = countersRestart(before, after);
  const diffs = [
    ...leafDiffs(before.limit.kind, after.limit.kind, "limit.kind"),
    ...leafDiffs(algorithmOf(before.limit), algorithmOf(after.limit), "limit.algorithm"),
  ];
  if (!isEqual(before.countBy, after.countBy)) {
    const isReordered = countingHash({ ...after, limit: before.limit }) === countingHash(before);
    const words = isReordered
      ? "countBy: the same in another order"
      : `counts ${countByWords(before.countBy)} → ${countByWords(after.countBy)}`;
    const direction = isReordered ? "same" : "other";
    diffs.push(fieldDiff("countBy", [before.countBy, after.countBy], words, { direction }));
  }
  if (!restarts) return diffs;
  return diffs.map((diff) =>
    diff.direction === "same"
      ? diff
      : { ...diff, loud: true, sentence: `${diff.sentence}: counters restart` },
  );
}

function algorithmOf(limit: Limit): string | undefined {
  return limit.kind === "rate" ? limit.algorithm : undefined;
}

function limitDiffs(before: Limit, after: Limit): FieldDiff[] {
  const [from, to] = [amountsOf(before), amountsOf(after)];
  const plans = new Set([...Object.keys(from.perPlan), ...Object.keys(to.perPlan)]);
  const named = [...plans].sort().flatMap((plan) => {
    const values = [ownAmount(before, plan), ownAmount(after, plan)] as const;
    return amountDiff(`limit.perPlan.${plan}`, `plan ${plan}`, values, [
      effective(before, plan),
      effective(after, plan),
    ]);
  });
  const anonymous = amountDiff(
    "limit.anonymous",
    "without a key",
    [from.anonymous, to.anonymous],
    [effective(before, ANONYMOUS_PLAN), effective(after, ANONYMOUS_PLAN)],
  );
  const others = amountDiff(
    "limit.default",
    "plans not named",
    [from.default, to.default],
    [
      { amount: from.default ?? null, note: "" },
      { amount: to.default ?? null, note: "" },
    ],
  );
  return [...named, ...anonymous, ...others];
}

type Effective = { amount: Amount | null; note: string };

/** What a plan really gets, and whether it falls to the default for it. */
function effective(limit: Limit, plan: string): Effective {
  const isNamed =
    Object.hasOwn(amountsOf(limit).perPlan, plan) ||
    (plan === ANONYMOUS_PLAN && amountsOf(limit).anonymous !== undefined);
  const amount = amountFor(limit, plan);
  return { amount, note: isNamed || amount === null ? "" : " (default)" };
}

function ownAmount(limit: Limit, plan: string): Amount | undefined {
  const { perPlan } = amountsOf(limit);
  return Object.hasOwn(perPlan, plan) ? perPlan[plan] : undefined;
}

/** `values` are what is written, `[from, to]` what that means for the clients. */
function amountDiff(
  path: string,
  who: string,
  values: readonly [Amount | undefined, Amount | undefined],
  [from, to]: readonly [Effective, Effective],
): FieldDiff[] {
  if (isEqual(values[0], values[1])) return [];
  const { direction, factor, words } = compareAmounts(from.amount, to.amount);
  const text = direction === "same" ? writtenWords : plainWords;
  const sentence = `${who}: ${text(from)} → ${text(to)}: ${words}`;
  return [fieldDiff(path, values, sentence, { direction, loud: factor >= LOUD_FACTOR })];
}

function plainWords({ amount, note }: Effective): string {
  return `${amount === null ? "no limit" : amountWords(amount)}${note}`;
}

/** As written, so that 60s and 1m can be told apart where they mean the same. */
function writtenWords({ amount, note }: Effective): string {
  if (amount === null || amount === "unlimited" || "concurrent" in amount) {
    return plainWords({ amount, note });
  }
  const burst =
    !("burst" in amount) || amount.burst === amount.rate ? "" : `, burst ${amount.burst}`;
  return `${amount.rate} per ${amount.per}${burst}${note}`;
}

function costDiff(before: Cost, after: Cost): FieldDiff[] {
  if (typeof before !== "number" || typeof after !== "number")
    return leafDiffs(before, after, "cost");
  if (before === after) return [];
  const factor = Math.max(before / after, after / before);
  const direction = after > before ? "stricter" : "looser";
  const sentence = `cost ${before} → ${after}: ${times(factor)} ${direction}`;
  return [fieldDiff("cost", [before, after], sentence, { direction, loud: factor >= LOUD_FACTOR })];
}

function matchDiffs(before: Match, after: Match): FieldDiff[] {
  const sets = [
    { name: "methods", all: "every method" },
    { name: "routes", all: "every route" },
    { name: "plans", all: "every plan" },
    { name: "ips", all: "every address" },
  ] as const;
  const names = new Set([
    ...Object.keys(before.headers ?? {}),
    ...Object.keys(after.headers ?? {}),
  ]);
  const { authenticated: had } = before;
  const { authenticated: has } = after;
  return [
    ...sets.flatMap(({ name, all }) =>
      setDiff({ path: `match.${name}`, label: name, all }, before[name], after[name]),
    ),
    ...(had === has
      ? []
      : [fieldDiff("match.authenticated", [had, has], `${keyWords(had)} → ${keyWords(has)}`)]),
    ...[...names].sort().flatMap((name) => headerDiff(name, before.headers, after.headers)),
    ...emptyHeadersDiff(before, after),
  ];
}

function keyWords(authenticated: boolean | undefined): string {
  if (authenticated === undefined) return "with or without a key";
  return authenticated ? "only with a key" : "only without a key";
}

function headerDiff(name: string, before: Match["headers"], after: Match["headers"]): FieldDiff[] {
  const values = [own(before, name), own(after, name)] as const;
  if (isEqual(values[0], values[1])) return [];
  const [from, to] = values.map((accepted) => {
    if (accepted === undefined) return "not looked at";
    return accepted.length === 0 ? "any value" : valueWords(accepted);
  });
  return [fieldDiff(`match.headers.${name}`, values, `header ${name}: ${from} → ${to}`)];
}

function own(headers: Match["headers"], name: string): string[] | undefined {
  return headers !== undefined && Object.hasOwn(headers, name) ? headers[name] : undefined;
}

/** `headers: {}` and no headers accept the same. */
function emptyHeadersDiff({ headers: before }: Match, { headers: after }: Match): FieldDiff[] {
  const isOnlySpelling =
    Object.keys({ ...before, ...after }).length === 0 &&
    (before === undefined) !== (after === undefined);
  if (!isOnlySpelling) return [];
  const sentence = "headers: no condition, written in another way";
  return [fieldDiff("match.headers", [before, after], sentence, { direction: "same" })];
}
