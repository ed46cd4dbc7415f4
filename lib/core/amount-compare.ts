import { calendarPeriod } from "./calendar-period";
import { durationSeconds } from "./duration";
import type { Amount, ConcurrentAmount, Rate, WindowAmount } from "./limit";

/** From this many times stricter or looser on, a change is loud: most likely a typo, never a detail. */
export const LOUD_FACTOR = 10;

export type AmountComparison = {
  /**
   * Seen from a client: what allows less is stricter; mixed = may refuse what passed before and lets pass what was
   * refused: a higher rate with a lower burst, windows that do not nest, or two kinds that cannot be compared.
   */
  direction: "same" | "stricter" | "looser" | "mixed";
  /** How many times, the larger of rate and burst; Infinity where a limit appears or disappears; 1 when the same. */
  factor: number;
  /** `360 times stricter`, `burst 2 times larger`, `no longer limited` */
  words: string;
};

/** Two amounts by what they allow, however they are written; null = no limit, as good as unlimited. */
export function compareAmounts(before: Amount | null, after: Amount | null): AmountComparison {
  const from = before === "unlimited" ? null : before;
  const to = after === "unlimited" ? null : after;
  if (from === null && to === null) return SAME;
  if (from === null)
    return { direction: "stricter", factor: Infinity, words: "not limited before" };
  if (to === null) return { direction: "looser", factor: Infinity, words: "no longer limited" };
  if ("concurrent" in from) {
    return "concurrent" in to ? compareConcurrent(from, to) : OTHER_KIND;
  }
  if (isRate(from)) return isRate(to) ? compareRates(from, to) : OTHER_KIND;
  return "concurrent" in to || isRate(to) ? OTHER_KIND : compareWindows(from, to);
}

function isRate(amount: Exclude<Amount, string>): amount is Rate {
  return "burst" in amount;
}

const SAME: AmountComparison = { direction: "same", factor: 1, words: "the same amount" };
const OTHER_KIND: AmountComparison = {
  direction: "mixed",
  factor: 1,
  words: "another kind of limit, not comparable",
};

function compareConcurrent(before: ConcurrentAmount, after: ConcurrentAmount): AmountComparison {
  const { sign, factor } = change(before.concurrent, after.concurrent);
  if (sign === 0) return SAME;
  const direction = sign < 0 ? "stricter" : "looser";
  return { direction, factor, words: `${times(factor)} ${direction}` };
}

function compareRates(before: Rate, after: Rate): AmountComparison {
  // Products stay below 2^53: rate <= 1e9, per <= 2.6e6 s.
  const rate = change(before.rate * secondsOf(after.per), after.rate * secondsOf(before.per));
  const burst = change(before.burst, after.burst);
  if (rate.sign === 0 && burst.sign === 0) return SAME;
  const factor = Math.max(rate.factor, burst.factor);
  const burstWords = `burst ${times(burst.factor)} ${burst.sign < 0 ? "smaller" : "larger"}`;
  if (rate.sign === 0) {
    return { direction: burst.sign < 0 ? "stricter" : "looser", factor, words: burstWords };
  }
  const side = rate.sign < 0 ? "stricter" : "looser";
  if (burst.sign === -rate.sign) {
    return {
      direction: "mixed",
      factor,
      words: `rate ${times(rate.factor)} ${side}, ${burstWords}`,
    };
  }
  const words = `${times(rate.factor)} ${side}`;
  return {
    direction: side,
    factor,
    words: burst.factor > rate.factor ? `${words}, ${burstWords}` : words,
  };
}

/**
 * Windows by how many requests they let pass in the long run, and at once. Neither is looser for sure unless
 * whatever the other lets pass fits it: each window of one may touch several windows of the other.
 */
function compareWindows(before: WindowAmount, after: WindowAmount): AmountComparison {
  const rate = change(
    BigInt(before.rate) * BigInt(meanSeconds(after.per)),
    BigInt(after.rate) * BigInt(meanSeconds(before.per)),
  );
  const count = change(before.rate, after.rate);
  if (rate.sign === 0 && count.sign === 0 && touches(before.per, after.per) === 1) return SAME;
  const isLooser = fitsInto(before, after);
  const isStricter = fitsInto(after, before);
  const direction =
    isLooser === isStricter ? (isLooser ? "same" : "mixed") : isLooser ? "looser" : "stricter";
  const words = [
    ...(rate.sign === 0
      ? []
      : [
          `${direction === "mixed" ? "rate " : ""}${times(rate.factor)} ${rate.sign < 0 ? "stricter" : "looser"}`,
        ]),
    ...(count.sign === 0 || (count.sign === rate.sign && count.factor <= rate.factor)
      ? []
      : [`${times(count.factor)} ${count.sign < 0 ? "fewer" : "more"} in one window`]),
  ];
  if (direction === "mixed" && rate.sign !== -count.sign) words.push("in windows that do not nest");
  const note =
    isMonths(before.per) !== isMonths(after.per) ? ` (1mo taken as ${MONTH_DAYS} days)` : "";
  return {
    direction,
    factor: Math.max(rate.factor, count.factor),
    words: `${words.join(", ")}${note}`,
  };
}

/** Whether everything that `inner` lets pass, `outer` lets pass too. */
function fitsInto(inner: WindowAmount, outer: WindowAmount): boolean {
  return outer.rate >= inner.rate * touches(inner.per, outer.per);
}

/** At most so many windows of one length touch a single window of another. */
function touches(inner: string, outer: string): number {
  const most = longestSeconds(outer) / shortestSeconds(inner);
  if (isNested(outer, inner)) return 1;
  return isNested(inner, outer) ? Math.ceil(most) : Math.floor(most) + 2;
}

/** Whether windows of the longer length are made of whole ones of the shorter. */
function isNested(shorter: string, longer: string): boolean {
  const [a, b] = [calendarPeriod(shorter), calendarPeriod(longer)];
  if (a === null || b === null) return false;
  if (a.unit === "mo") return b.unit === "mo" && b.count % a.count === 0;
  const seconds = durationSeconds(shorter) ?? 1;
  // A month begins at midnight: what divides a day divides it.
  return (b.unit === "mo" ? DAY : (durationSeconds(longer) ?? 1)) % seconds === 0;
}

const DAY = 86_400;
/** The mean Gregorian month. */
const MONTH_SECONDS = 2_629_746;
const MONTH_DAYS = "30.44";

function isMonths(per: string): boolean {
  return calendarPeriod(per)?.unit === "mo";
}

function inMonths(per: string, monthSeconds: number): number {
  const period = calendarPeriod(per);
  return period?.unit === "mo" ? period.count * monthSeconds : secondsOf(per);
}

function meanSeconds(per: string): number {
  return inMonths(per, MONTH_SECONDS);
}

function longestSeconds(per: string): number {
  return Math.min(inMonths(per, 31 * DAY), Math.max(366 * DAY, secondsOf(per)));
}

function shortestSeconds(per: string): number {
  return inMonths(per, 28 * DAY);
}

function change<N extends number | bigint>(before: N, after: N): { sign: number; factor: number } {
  const [from, to] = [Number(before), Number(after)];
  const sign = after > before ? 1 : after < before ? -1 : 0;
  return { sign, factor: sign > 0 ? to / from : from / to };
}

/** `360 times`, `1.5 times`, `slightly` */
export function times(factor: number): string {
  if (factor < 1.005) return "slightly";
  const rounded = factor >= 10 ? Math.round(factor) : Math.round(factor * 100) / 100;
  return `${rounded} times`;
}

function secondsOf(per: string): number {
  return durationSeconds(per) ?? 1;
}
