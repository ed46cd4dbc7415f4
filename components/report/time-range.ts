export const RANGES = ["15m", "1h", "24h", "7d", "30d", "90d"] as const;
export type RangeName = (typeof RANGES)[number];

const LENGTH_MS: Record<RangeName, number> = {
  "15m": 900_000,
  "1h": 3_600_000,
  "24h": 86_400_000,
  "7d": 604_800_000,
  "30d": 2_592_000_000,
  "90d": 7_776_000_000,
};

const WORDS: Record<RangeName, string> = {
  "15m": "in the last 15 min",
  "1h": "in the last hour",
  "24h": "in the last 24 h",
  "7d": "in the last 7 d",
  "30d": "in the last 30 d",
  "90d": "in the last 90 d",
};

/** What the address asks for: a length that ends now, or two fixed instants. */
export type TimeRange =
  | { kind: "last"; name: RangeName; fromMs: number; words: string }
  | { kind: "custom"; from: string | undefined; to: string | undefined; words: string };

type Address = { range?: string; from?: string; to?: string };

/** `otherwise`: when the address names none. */
export function timeRange(
  { range, from, to }: Address,
  nowMs: number,
  otherwise: RangeName = "24h",
): TimeRange {
  if (from !== undefined || to !== undefined)
    return { kind: "custom", from, to, words: "in the chosen time" };
  const name = RANGES.find((each) => each === range) ?? otherwise;
  return { kind: "last", name, fromMs: nowMs - LENGTH_MS[name], words: WORDS[name] };
}

/** The shortest up to 24 h that reaches back to `startMs`: a rule minutes old fills it, in a day it is a speck. */
export function rangeSince(startMs: number, nowMs: number): RangeName {
  const short = ["15m", "1h"] as const;
  return short.find((name) => nowMs - startMs <= LENGTH_MS[name]) ?? "24h";
}

/** As the report's and the log's queries take it. */
export function rangeQuery(range: TimeRange): { from?: string; to?: string } {
  if (range.kind === "last") return { from: new Date(range.fromMs).toISOString() };
  return {
    ...(range.from === undefined ? {} : { from: range.from }),
    ...(range.to === undefined ? {} : { to: range.to }),
  };
}

/** Of the address's keys, those that name the range: for links that keep it. */
export function rangeKeys({ range, from, to }: Address): Address {
  if (from !== undefined || to !== undefined)
    return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  return range === undefined ? {} : { range };
}

/** `between 02:50 and 02:55 UTC on 2026-11-30`: an interval as one would say it. */
export function betweenWords(from: string, to: string): string {
  const [start, end] = [from, to].map((instant) => ({
    day: instant.slice(0, 10),
    time: instant.slice(11, 16),
  }));
  if (start === undefined || end === undefined) return "";
  if (start.day === end.day) return `between ${start.time} and ${end.time} UTC on ${start.day}`;
  return `between ${start.day} ${start.time} and ${end.day} ${end.time} UTC`;
}
