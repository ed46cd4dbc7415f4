import type { FieldDiff } from "./api/change";
import { countingHash } from "./counting-hash";
import { fieldDiff, isEqual, leafDiffs } from "./field-diff";
import { type Amount, amountsOf, type Limit } from "./limit";
import { countByWords } from "./limit-sentence";
import { listWords } from "./list-words";
import type { Rule } from "./rule";

export function countersRestart(before: Rule, after: Rule): boolean {
  return countingHash(before) !== countingHash(after);
}

/** What is counted, in which way; each difference that makes the counters start anew says so. */
export function countingDiffs(before: Rule, after: Rule): FieldDiff[] {
  const diffs = [
    ...kindDiffs(before.limit, after.limit),
    ...countByDiff(before, after),
    ...zoneDiff(before.limit, after.limit),
  ];
  if (!countersRestart(before, after)) return diffs;
  const reasons = diffs.filter(({ direction }) => direction !== "same");
  // Else it is the windows' lengths alone.
  const all = reasons.length > 0 ? diffs : [...diffs, windowDiff(before.limit, after.limit)];
  return all.map((diff) =>
    diff.direction === "same"
      ? diff
      : { ...diff, loud: true, sentence: `${diff.sentence}: counters restart` },
  );
}

function kindDiffs(before: Limit, after: Limit): FieldDiff[] {
  return [
    ...leafDiffs(before.kind, after.kind, "limit.kind"),
    ...leafDiffs(algorithmOf(before), algorithmOf(after), "limit.algorithm"),
  ];
}

export function algorithmOf(limit: Limit): string | undefined {
  return limit.kind === "rate" ? limit.algorithm : undefined;
}

export function zoneOf(limit: Limit): string | undefined {
  return limit.kind === "rate" && limit.algorithm === "fixed-window" ? limit.timeZone : undefined;
}

function countByDiff(before: Rule, after: Rule): FieldDiff[] {
  if (isEqual(before.countBy, after.countBy)) return [];
  const isReordered = countingHash({ ...after, limit: before.limit }) === countingHash(before);
  const words = isReordered
    ? "countBy: the same in another order"
    : `counts ${countByWords(before.countBy)} → ${countByWords(after.countBy)}`;
  const direction = isReordered ? "same" : "other";
  return [fieldDiff("countBy", [before.countBy, after.countBy], words, { direction })];
}

function zoneDiff(before: Limit, after: Limit): FieldDiff[] {
  const [from, to] = [zoneOf(before), zoneOf(after)];
  if (from === to) return [];
  const words = `windows by the calendar of ${from ?? "nowhere"} → ${to ?? "nowhere"}`;
  // A zone that comes or goes with its algorithm is said with it.
  if (from !== undefined && to !== undefined)
    return [fieldDiff("limit.timeZone", [from, to], words)];
  const sentence =
    to === undefined
      ? `time zone ${from}: there are no calendar windows any more`
      : `time zone ${to}`;
  return [fieldDiff("limit.timeZone", [from, to], sentence, { direction: "same" })];
}

function windowDiff(before: Limit, after: Limit): FieldDiff {
  const [from, to] = [periodsOf(before), periodsOf(after)];
  const sentence = `windows of ${listWords(from, 6)} → ${listWords(to, 6)}`;
  return fieldDiff("limit.per", [from, to], sentence);
}

/** The lengths of a limit's windows as they are written, each once. */
function periodsOf(limit: Limit): string[] {
  const { perPlan, anonymous, default: others } = amountsOf(limit);
  const amounts: (Amount | undefined)[] = [...Object.values(perPlan), anonymous, others];
  const periods = amounts.flatMap((amount) =>
    amount === undefined || amount === "unlimited" || !("per" in amount) ? [] : [amount.per],
  );
  return [...new Set(periods)].sort();
}
