import { durationWords } from "./duration";
import type { Settings } from "./ruleset";

/** What a report rests on, over one interval and one rule. */
export type EvidenceCoverage = {
  /** In which the rule was counted in shadow (or beside its live revision). */
  seconds: number;
  /** That the rule matched. */
  requests: number;
  /** Gateways live at any time in the interval. */
  gatewaysLive: number;
  /** Of these, the ones that reported throughout. */
  gatewaysReporting: number;
  /** Of all that was to be counted, 0..1. */
  droppedShare: number;
};

/** Whether a report is evidence enough to enforce, and if not, what it lacks: a sentence each. */
export function judgeEvidence(
  bounds: Settings["evidence"],
  coverage: EvidenceCoverage,
): { enough: boolean; why: string[] } {
  const { seconds, requests, gatewaysLive, gatewaysReporting, droppedShare } = coverage;
  const why: string[] = [];
  if (!(seconds >= bounds.minSeconds)) {
    why.push(`${timeWords(seconds)} data, at least ${durationWords(bounds.minSeconds)} needed`);
  }
  if (!(requests >= bounds.minRequests)) {
    why.push(`${countWords(requests, "matched request")}, at least ${bounds.minRequests} needed`);
  }
  if (!(gatewaysLive > 0)) {
    why.push("no gateway has reported");
  } else if (!(gatewaysReporting >= gatewaysLive)) {
    why.push(`${gatewaysReporting} of ${gatewaysLive} gateways reported throughout`);
  }
  if (!(droppedShare <= bounds.maxDroppedShare)) {
    why.push(
      `${percent(droppedShare)} of the counts were dropped, at most ${percent(bounds.maxDroppedShare)} allowed`,
    );
  }
  return { enough: why.length === 0, why };
}

/** `no`, `45s of`, `59m of`, `1h 2m of`: never more than was there. */
function timeWords(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (!(whole > 0)) return "no";
  if (whole < 3600) return `${durationWords(whole < 60 ? whole : whole - (whole % 60))} of`;
  const minutes = Math.floor((whole % 3600) / 60);
  return `${Math.floor(whole / 3600)}h${minutes === 0 ? "" : ` ${minutes}m`} of`;
}

function countWords(count: number, noun: string): string {
  return `${count === 0 ? "no" : count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Up to two decimals, rounded up, so that what is over a bound never reads as the bound. */
function percent(share: number): string {
  if (Number.isNaN(share)) return "an unknown share";
  return `${Math.ceil(share * 10_000 - 1e-6) / 100} %`;
}
