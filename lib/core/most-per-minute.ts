import { durationSeconds } from "./duration";
import { type Amount, isShedder, type Limit } from "./limit";
import type { Cost } from "./rule";

/**
 * Most requests of `cost` that an amount lets pass in one minute of the clock: a full bucket and what comes in meanwhile, or
 * the windows that touch it. Null where there is no such number: unlimited, requests at the same time, a cost that varies.
 */
export function mostPerMinute(limit: Limit, amount: Amount, cost: Cost): number | null {
  if (isShedder(limit) || amount === "unlimited" || "concurrent" in amount) return null;
  if (typeof cost !== "number") return null;
  const { rate, per } = amount;
  // A month is the only period that is no duration.
  const seconds = durationSeconds(per) ?? Number.POSITIVE_INFINITY;
  if ("burst" in amount) {
    // Nothing passes that costs more than a full bucket.
    if (cost > amount.burst) return 0;
    return Math.floor((amount.burst + (rate * 60) / seconds) / cost);
  }
  const perWindow = Math.floor(rate / cost);
  if (seconds <= 60) return perWindow * Math.ceil(60 / seconds);
  // Windows of whole minutes begin with a minute; others may end within one.
  const isWhole = seconds % 60 === 0 || seconds === Number.POSITIVE_INFINITY;
  return isWhole || limit.kind !== "rate" || limit.algorithm === "sliding-window"
    ? perWindow
    : 2 * perWindow;
}
