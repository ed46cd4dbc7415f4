import { durationSeconds } from "./duration";
import type { Amount, Rate } from "./limit";

export type AmountComparison = {
  /** Seen from a client: what allows less is stricter; mixed = a higher rate with a lower burst, or the reverse. */
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
  return compareRates(from, to);
}

const SAME: AmountComparison = { direction: "same", factor: 1, words: "the same amount" };

function compareRates(before: Rate, after: Rate): AmountComparison {
  // Products stay below 2^53: rate <= 1e9, per <= 2.6e6 s.
  const rate = change(before.rate * secondsOf(after), after.rate * secondsOf(before));
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

function change(before: number, after: number): { sign: number; factor: number } {
  return {
    sign: Math.sign(after - before),
    factor: after > before ? after / before : before / after,
  };
}

/** `360 times`, `1.5 times`, `slightly` */
export function times(factor: number): string {
  if (factor < 1.005) return "slightly";
  const rounded = factor >= 10 ? Math.round(factor) : Math.round(factor * 100) / 100;
  return `${rounded} times`;
}

function secondsOf(rate: Rate): number {
  return durationSeconds(rate.per) ?? 1;
}
