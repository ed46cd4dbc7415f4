import type { CountedMode, Lane } from "./counts";

/** Sums of one lane of a rule, in one mode, as gateways counted them. */
export type LaneSums = {
  lane: Lane;
  mode: CountedMode;
  requests: number;
  rejections: number;
  newly: number;
};

/**
 * A candidate against the live revision, of the requests of clients that meet the live one. `newly` pass today and would
 * be refused; `noLonger` are refused today and would pass; `both` are refused today, by whatever rule, and the candidate
 * refuses them, too. The clients of its share meet only the candidate, so of theirs nobody knows what the live revision
 * would have said: what it refused them is `enforced`.
 */
export type CandidateFigures = {
  /** That the candidate matched. */
  requests: number;
  newly: number;
  noLonger: number;
  both: number;
  enforced: { requests: number; rejections: number };
};

/** Exact, as each is counted where both were asked: at the gateway, a request at a time. */
export function candidateFigures(lanes: readonly LaneSums[]): CandidateFigures {
  const figures: CandidateFigures = {
    requests: 0,
    newly: 0,
    noLonger: 0,
    both: 0,
    enforced: { requests: 0, rejections: 0 },
  };
  for (const { lane, mode, requests, rejections, newly } of lanes) {
    if (lane === "live") {
      if (mode === "enforce") figures.noLonger += newly;
    } else if (mode === "shadow") {
      figures.requests += requests;
      figures.newly += newly;
      figures.both += rejections - newly;
    } else {
      figures.enforced.requests += requests;
      figures.enforced.rejections += rejections;
    }
  }
  return figures;
}
