import { compareAmounts, LOUD_FACTOR, times } from "./amount-compare";
import type { FieldDiff } from "./api/change";
import { fieldDiff, isEqual, leafDiffs } from "./field-diff";
import { type Amount, amountFor, amountsOf, type Limit } from "./limit";
import { bareWords, writtenWords } from "./limit-words";
import { ANONYMOUS_PLAN } from "./plan";
import type { Rule } from "./rule";

/** How much: by plan, or what a shedder holds the fleet or a gateway to. */
export function limitDiffs({ limit: before }: Rule, { limit: after }: Rule): FieldDiff[] {
  return [...ownFieldDiffs(before, after), ...amountDiffs(before, after)];
}

/** The fields that only one kind has. */
function ownFieldDiffs(before: Limit, after: Limit): FieldDiff[] {
  if (before.kind === "concurrency" && after.kind === "concurrency") {
    return leaseDiff(before.lease, after.lease);
  }
  if (before.kind === "fleet" && after.kind === "fleet") {
    return [
      ...numberDiff("limit.capacity", "capacity", " a second", [before.capacity, after.capacity]),
      ...reserveDiff(before.reserve, after.reserve),
    ];
  }
  if (before.kind === "worker" && after.kind === "worker") {
    return numberDiff("limit.maxDelayMs", "sheds above", " ms delay", [
      before.maxDelayMs,
      after.maxDelayMs,
    ]);
  }
  return before.kind === after.kind ? [] : leafDiffs(fieldsOf(before), fieldsOf(after), "limit");
}

/** Of a kind that comes or goes, what is neither an amount nor said with the kind. */
function fieldsOf(limit: Limit): Record<string, unknown> {
  if (limit.kind === "concurrency") return { lease: limit.lease };
  if (limit.kind === "fleet") return { capacity: limit.capacity, reserve: limit.reserve };
  return limit.kind === "worker" ? { maxDelayMs: limit.maxDelayMs } : {};
}

function leaseDiff(before: string, after: string): FieldDiff[] {
  if (before === after) return [];
  const sentence = `lease ${before} → ${after}: how long a dead gateway's requests count as in flight`;
  return [fieldDiff("limit.lease", [before, after], sentence)];
}

function reserveDiff(before: number, after: number): FieldDiff[] {
  if (before === after) return [];
  const direction = after > before ? "stricter" : "looser";
  const sentence = `kept for critical requests ${before} % → ${after} %: ${direction} for the others`;
  return [fieldDiff("limit.reserve", [before, after], sentence, { direction })];
}

function numberDiff(
  path: string,
  label: string,
  unit: string,
  [before, after]: readonly [number, number],
): FieldDiff[] {
  if (before === after) return [];
  const factor = Math.max(before / after, after / before);
  const direction = after < before ? "stricter" : "looser";
  const sentence = `${label} ${before} → ${after}${unit}: ${times(factor)} ${direction}`;
  return [fieldDiff(path, [before, after], sentence, { direction, loud: factor >= LOUD_FACTOR })];
}

function amountDiffs(before: Limit, after: Limit): FieldDiff[] {
  const [from, to] = [amountsOf(before), amountsOf(after)];
  const plans = new Set([...Object.keys(from.perPlan), ...Object.keys(to.perPlan)]);
  const diff = (path: string, who: string, values: Values, means: Means) =>
    amountDiff({ path, who, limits: [before, after] }, values, means);
  const named = [...plans]
    .sort()
    .flatMap((plan) =>
      diff(
        `limit.perPlan.${plan}`,
        `plan ${plan}`,
        [ownAmount(before, plan), ownAmount(after, plan)],
        [effective(before, plan), effective(after, plan)],
      ),
    );
  const anonymous = diff(
    "limit.anonymous",
    "without a key",
    [from.anonymous, to.anonymous],
    [effective(before, ANONYMOUS_PLAN), effective(after, ANONYMOUS_PLAN)],
  );
  const others = diff(
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

type Values = readonly [Amount | undefined, Amount | undefined];
type Effective = { amount: Amount | null; note: string };
type Means = readonly [Effective, Effective];

/** What a plan really gets, and whether it falls to the default for it. */
function effective(limit: Limit, plan: string): Effective {
  const { perPlan, anonymous } = amountsOf(limit);
  const isNamed =
    Object.hasOwn(perPlan, plan) || (plan === ANONYMOUS_PLAN && anonymous !== undefined);
  const amount = amountFor(limit, plan);
  return { amount, note: isNamed || amount === null ? "" : " (default)" };
}

function ownAmount(limit: Limit, plan: string): Amount | undefined {
  const { perPlan } = amountsOf(limit);
  return Object.hasOwn(perPlan, plan) ? perPlan[plan] : undefined;
}

/** `values` are what is written, `[from, to]` what that means for the clients. */
function amountDiff(
  { path, who, limits }: { path: string; who: string; limits: readonly [Limit, Limit] },
  values: Values,
  [from, to]: Means,
): FieldDiff[] {
  if (isEqual(values[0], values[1])) return [];
  const { direction, factor, words } = compareAmounts(from.amount, to.amount);
  const inWords = direction === "same" ? writtenWords : bareWords;
  const text = (limit: Limit, { amount, note }: Effective) =>
    `${amount === null ? "no limit" : inWords(limit, amount)}${note}`;
  const sentence = `${who}: ${text(limits[0], from)} → ${text(limits[1], to)}: ${words}`;
  return [fieldDiff(path, values, sentence, { direction, loud: factor >= LOUD_FACTOR })];
}
