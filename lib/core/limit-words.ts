import { calendarPeriod, periodWords } from "./calendar-period";
import { durationSeconds, durationWords } from "./duration";
import { type Amount, isShedder, type Limit, type RateLimit, type ShedderLimit } from "./limit";
import { listWords } from "./list-words";
import type { Cost, Priority } from "./rule";

/**
 * An amount as a limit means it: `60 per 1m, burst 120`, `60 in any 1m`, `100 per calendar month (UTC)`,
 * `20 at the same time`. A form that the limit has no use for is written as it is.
 */
export function limitWords(limit: Limit, amount: Amount): string {
  return `${bareWords(limit, amount)}${amount === "unlimited" ? "" : zoneWords(limit)}`;
}

/** The same without the time zone, for a list that names it once. */
export function bareWords(limit: Limit, amount: Amount): string {
  if (amount === "unlimited" || "concurrent" in amount) return writtenWords(limit, amount);
  if (!("burst" in amount) && isFixed(limit)) return writtenWords(limit, amount);
  const seconds = durationSeconds(amount.per);
  return writtenWords(
    limit,
    seconds === null ? amount : { ...amount, per: durationWords(seconds) },
  );
}

/** With the interval as it was written, so that 60s and 1m can be told apart. */
export function writtenWords(limit: Limit, amount: Amount): string {
  if (amount === "unlimited") return "unlimited";
  if ("concurrent" in amount) return `${amount.concurrent} at the same time`;
  if ("burst" in amount) {
    const burst = amount.burst === amount.rate ? "" : `, burst ${amount.burst}`;
    return `${amount.rate} per ${amount.per}${burst}`;
  }
  if (isFixed(limit)) return `${amount.rate} per ${calendarWords(amount.per)}`;
  return `${amount.rate} in any ${amount.per}`;
}

/** ` (Europe/Paris)` where the windows are a calendar's. */
export function zoneWords(limit: Limit): string {
  return isFixed(limit) ? ` (${limit.timeZone})` : "";
}

function isFixed(limit: Limit): limit is Extract<RateLimit, { algorithm: "fixed-window" }> {
  return limit.kind === "rate" && limit.algorithm === "fixed-window";
}

function calendarWords(per: string): string {
  const period = calendarPeriod(per);
  return period === null ? per : periodWords(period);
}

/** `sheds normal requests`: what a shedder does; `whileWords` says when. */
export function shedWords(priority: Priority): string {
  return priority === "critical" ? "never sheds critical requests" : `sheds ${priority} requests`;
}

export function whileWords(limit: ShedderLimit): string {
  return limit.kind === "fleet"
    ? `while the fleet takes more than ${limit.capacity} a second, ${limit.reserve} % kept for critical ones`
    : `while the gateway's event loop is more than ${limit.maxDelayMs} ms late`;
}

/** What everybody gets of a shedder, shortly; null for a limit by plan. */
export function shedderWords(limit: Limit): string | null {
  if (!isShedder(limit)) return null;
  return limit.kind === "fleet"
    ? `shed above ${limit.capacity} a second`
    : `shed above ${limit.maxDelayMs} ms delay`;
}

/** `5 a request`; `5 a request on /v1/search, else 1`; `as header x-cost of a trusted hop says, else 1` */
export function costWords(cost: Cost): string {
  if (typeof cost === "number") return `${cost} a request`;
  if ("header" in cost) {
    return `as header ${cost.header} of a trusted hop says, else ${cost.default} a request`;
  }
  const byCost = new Map<number, string[]>();
  for (const [route, each] of Object.entries(cost.routes)) {
    byCost.set(each, [...(byCost.get(each) ?? []), route]);
  }
  const parts = [...byCost].map(([each, routes]) => `${each} a request on ${listWords(routes)}`);
  return parts.length === 0
    ? `${cost.default} a request`
    : `${parts.join(", ")}, else ${cost.default}`;
}
