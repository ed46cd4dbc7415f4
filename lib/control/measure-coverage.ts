import type { GatewayState } from "./fleet";
import {
  countBits,
  every,
  highestBit,
  type MinuteBits,
  type MinuteRange,
  minutesBetween,
  none,
  overlap,
  union,
} from "./minute-bits";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Counts of a minute may be on their way this long after its end. */
export const REPORT_LAG_MS = 15_000;

export type CoverageInput = {
  fromMs: number;
  toMs: number;
  nowMs: number;
  /** When the rule was counted in the wanted way; null asks for the gateways alone. */
  spans: readonly { fromMs: number; toMs: number }[] | null;
  gateways: readonly {
    id: string;
    state: GatewayState;
    firstSeenMs: number;
    lastSeenMs: number;
    drainedMs: number | null;
    /** Between a stop in order and the next start, in order of time. */
    rests: readonly { fromMs: number; toMs: number }[];
  }[];
  minutes: readonly ReportedMinute[];
  /** Other times than `minutes`. One that lies in the asked time by half gives its figures whole. */
  hours?: readonly ReportedHour[];
};

type Reported = {
  gateway: string;
  requests: number;
  batches: number;
  missingBatches: number;
  droppedRequests: number;
  droppedClients: number;
};

/** What one gateway reported for one minute, given in Unix minutes. */
export type ReportedMinute = Reported & { minute: number };
/** The same for an hour, given in Unix hours, and in which of its minutes. */
export type ReportedHour = Reported & { hour: number; minutes: MinuteBits };

export type MeasuredCoverage = {
  seconds: number;
  gateways: number;
  reporting: number;
  dropped: number;
  droppedShare: number;
  droppedClients: number;
  perGateway: { id: string; minutes: number; missingMinutes: number; dropped: number }[];
  lastReportMs: number | null;
};

/**
 * What stands behind a report. A gateway *reported throughout* when there is a report of it for each whole minute
 * in which it lived and the rule was counted; the last seconds are not held against it. Batches lost on the way
 * count as so many requests as the gateway's other ones had on average.
 */
export function measureCoverage(input: CoverageInput): MeasuredCoverage {
  const { fromMs, nowMs, spans } = input;
  const toMs = Math.min(input.toMs, nowMs);
  const windows = clip(spans === null || spans.length === 0 ? [{ fromMs, toMs }] : spans, {
    fromMs,
    toMs,
  });
  const byGateway = reportsInside(input, windows);
  const reports = [...byGateway.values()];
  const perGateway = livedIn(input, windows, byGateway).map((gateway) =>
    measureGateway(gateway, byGateway.get(gateway.id) ?? noReports(), windows, nowMs),
  );
  const requests = sum(reports, (one) => one.requests);
  const dropped = sum(perGateway, (gateway) => gateway.dropped);
  const anybody = unionOf(reports);
  return {
    seconds: spans === null ? 0 : countedSeconds(anybody, clip(spans, { fromMs, toMs })),
    gateways: perGateway.length,
    reporting: perGateway.filter((one) => one.minutes > 0 && one.missingMinutes === 0).length,
    dropped,
    droppedShare: dropped === 0 ? 0 : dropped / (dropped + requests),
    droppedClients: sum(reports, (one) => one.droppedClients),
    perGateway,
    lastReportMs: lastReport(anybody, nowMs),
  };
}

type Interval = { fromMs: number; toMs: number };
type Life = { id: string; parts: Interval[] };
/** By Unix hours. */
type Minutes = Map<number, MinuteBits>;
type GatewayReports = Omit<Reported, "gateway"> & { reported: Minutes };

function clip(spans: readonly Interval[], { fromMs, toMs }: Interval): Interval[] {
  return spans
    .map((span) => ({ fromMs: Math.max(span.fromMs, fromMs), toMs: Math.min(span.toMs, toMs) }))
    .filter((span) => span.toMs > span.fromMs);
}

function noReports(): GatewayReports {
  return {
    requests: 0,
    batches: 0,
    missingBatches: 0,
    droppedRequests: 0,
    droppedClients: 0,
    reported: new Map(),
  };
}

/** What each gateway reported of minutes that touch a window. */
function reportsInside(
  { minutes, hours = [] }: CoverageInput,
  windows: readonly Interval[],
): Map<string, GatewayReports> {
  const inside = new Map<number, MinuteBits>();
  const insideOf = (hour: number) => {
    const held = inside.get(hour);
    if (held !== undefined) return held;
    const bits = windows.reduce(
      (bits, { fromMs, toMs }) =>
        union(bits, minutesBetween(hour, { first: fromMs / MINUTE_MS, end: toMs / MINUTE_MS })),
      none(),
    );
    inside.set(hour, bits);
    return bits;
  };
  const byGateway = new Map<string, GatewayReports>();
  const take = (row: Reported, hour: number, bits: MinuteBits) => {
    const reported = overlap(bits, insideOf(hour));
    if (countBits(reported) === 0) return;
    const held = byGateway.get(row.gateway) ?? noReports();
    byGateway.set(row.gateway, held);
    held.requests += row.requests;
    held.batches += row.batches;
    held.missingBatches += row.missingBatches;
    held.droppedRequests += row.droppedRequests;
    held.droppedClients += row.droppedClients;
    held.reported.set(hour, union(held.reported.get(hour) ?? none(), reported));
  };
  for (const row of hours) take(row, row.hour, row.minutes);
  for (const row of minutes) {
    const hour = Math.floor(row.minute / 60);
    take(row, hour, minutesBetween(hour, { first: row.minute, end: row.minute + 1 }));
  }
  return byGateway;
}

/** Live at any time in the windows. A silent one should have gone on: nobody said that it may stop. */
function livedIn(
  { gateways, nowMs }: CoverageInput,
  windows: readonly Interval[],
  reported: ReadonlyMap<string, unknown>,
): Life[] {
  const lives = gateways.map((gateway): Life => {
    const { id, state, firstSeenMs, lastSeenMs, drainedMs, rests } = gateway;
    const isExpected = state === "live" || state === "silent";
    const toMs = isExpected ? nowMs : (drainedMs ?? lastSeenMs);
    const starts = [firstSeenMs, ...rests.map((rest) => rest.toMs)];
    const ends = [...rests.map((rest) => rest.fromMs), toMs];
    return { id, parts: starts.map((fromMs, i) => ({ fromMs, toMs: ends[i] ?? toMs })) };
  });
  const known = new Set(lives.map(({ id }) => id));
  const unknown = [...reported.keys()].filter((id) => !known.has(id));
  return [
    ...lives.filter(
      ({ id, parts }) => reported.has(id) || windows.some((one) => clip(parts, one).length > 0),
    ),
    // Forgotten gateways whose reports are still there: nothing is known to be missing of them.
    ...unknown.map((id) => ({ id, parts: [] })),
  ].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function measureGateway(
  { id, parts }: Life,
  reports: GatewayReports,
  windows: readonly Interval[],
  nowMs: number,
) {
  const { reported, requests, batches, missingBatches, droppedRequests } = reports;
  const missingMinutes = sum(
    windows.flatMap((window) => clip(parts, window)),
    ({ fromMs, toMs }) =>
      missing(reported, {
        first: Math.ceil(fromMs / MINUTE_MS),
        end: Math.floor(Math.min(toMs, nowMs - REPORT_LAG_MS) / MINUTE_MS),
      }),
  );
  const perBatch = batches === 0 ? 0 : requests / batches;
  const dropped = droppedRequests + Math.ceil(missingBatches * perBatch);
  return { id, minutes: sum([...reported.values()], countBits), missingMinutes, dropped };
}

/** Minutes of the range without a report. */
function missing(reported: Minutes, range: MinuteRange): number {
  let count = Math.max(0, range.end - range.first);
  for (let hour = Math.floor(range.first / 60); hour * 60 < range.end; hour += 1) {
    const bits = reported.get(hour);
    if (bits !== undefined) count -= countBits(overlap(bits, minutesBetween(hour, range)));
  }
  return count;
}

function unionOf(reports: readonly GatewayReports[]): Minutes {
  const anybody: Minutes = new Map();
  for (const { reported } of reports)
    for (const [hour, bits] of reported)
      anybody.set(hour, union(anybody.get(hour) ?? none(), bits));
  return anybody;
}

/** Seconds in which the rule was in force and at least one gateway reported. */
function countedSeconds(anybody: Minutes, spans: readonly Interval[]): number {
  let ms = 0;
  for (const [hour, bits] of anybody) {
    const whole = { fromMs: hour * HOUR_MS, toMs: (hour + 1) * HOUR_MS };
    for (const part of clip(spans, whole)) {
      const isWhole = part.toMs - part.fromMs === HOUR_MS;
      ms += isWhole ? countBits(bits) * MINUTE_MS : reportedMs(hour, bits, part);
    }
  }
  return Math.floor(ms / 1000);
}

function reportedMs(hour: number, bits: MinuteBits, part: Interval): number {
  let ms = 0;
  for (const minute of every(bits)) {
    const fromMs = hour * HOUR_MS + minute * MINUTE_MS;
    for (const one of clip([part], { fromMs, toMs: fromMs + MINUTE_MS }))
      ms += one.toMs - one.fromMs;
  }
  return ms;
}

function lastReport(anybody: Minutes, nowMs: number): number | null {
  let last: number | null = null;
  for (const [hour, bits] of anybody) {
    const endMs = hour * HOUR_MS + (highestBit(bits) + 1) * MINUTE_MS;
    last = Math.max(last ?? endMs, endMs);
  }
  return last === null ? null : Math.min(last, nowMs);
}

function sum<Row>(rows: readonly Row[], of: (row: Row) => number): number {
  let total = 0;
  for (const row of rows) total += of(row);
  return total;
}
