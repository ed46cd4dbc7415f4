import type { GatewayState } from "./fleet";

const MINUTE_MS = 60_000;
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
};

/** What one gateway reported for one minute, given in Unix minutes. */
export type ReportedMinute = {
  minute: number;
  gateway: string;
  requests: number;
  batches: number;
  missingBatches: number;
  droppedRequests: number;
  droppedClients: number;
};

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
  const isInside = (minute: number) =>
    windows.some((one) => minute * MINUTE_MS < one.toMs && (minute + 1) * MINUTE_MS > one.fromMs);
  const minutes = input.minutes.filter(({ minute }) => isInside(minute));
  const byGateway = new Map<string, ReportedMinute[]>();
  for (const row of minutes) {
    const rows = byGateway.get(row.gateway);
    if (rows === undefined) byGateway.set(row.gateway, [row]);
    else rows.push(row);
  }
  const perGateway = livedIn(input, windows, byGateway).map((gateway) =>
    measureGateway(gateway, byGateway.get(gateway.id) ?? [], windows, nowMs),
  );
  const requests = sum(minutes, ({ requests }) => requests);
  const dropped = sum(perGateway, (gateway) => gateway.dropped);
  const last = Math.max(...minutes.map(({ minute }) => (minute + 1) * MINUTE_MS));
  return {
    seconds: spans === null ? 0 : countedSeconds(minutes, clip(spans, { fromMs, toMs })),
    gateways: perGateway.length,
    reporting: perGateway.filter((one) => one.minutes > 0 && one.missingMinutes === 0).length,
    dropped,
    droppedShare: dropped === 0 ? 0 : dropped / (dropped + requests),
    droppedClients: sum(minutes, ({ droppedClients }) => droppedClients),
    perGateway,
    lastReportMs: minutes.length === 0 ? null : Math.min(last, nowMs),
  };
}

type Interval = { fromMs: number; toMs: number };
type Life = { id: string; parts: Interval[] };

function clip(spans: readonly Interval[], { fromMs, toMs }: Interval): Interval[] {
  return spans
    .map((span) => ({ fromMs: Math.max(span.fromMs, fromMs), toMs: Math.min(span.toMs, toMs) }))
    .filter((span) => span.toMs > span.fromMs);
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
  rows: readonly ReportedMinute[],
  windows: readonly Interval[],
  nowMs: number,
) {
  const reported = new Set(rows.map(({ minute }) => minute));
  let missingMinutes = 0;
  for (const { fromMs, toMs } of windows.flatMap((window) => clip(parts, window))) {
    const first = Math.ceil(fromMs / MINUTE_MS);
    const end = Math.floor(Math.min(toMs, nowMs - REPORT_LAG_MS) / MINUTE_MS);
    for (let minute = first; minute < end; minute += 1)
      if (!reported.has(minute)) missingMinutes += 1;
  }
  const batches = sum(rows, (row) => row.batches);
  const missing = sum(rows, (row) => row.missingBatches);
  const perBatch = batches === 0 ? 0 : sum(rows, (row) => row.requests) / batches;
  const dropped = sum(rows, (row) => row.droppedRequests) + Math.ceil(missing * perBatch);
  return { id, minutes: reported.size, missingMinutes, dropped };
}

/** Seconds in which the rule was in force and at least one gateway reported. */
function countedSeconds(minutes: readonly ReportedMinute[], spans: readonly Interval[]): number {
  let ms = 0;
  for (const minute of new Set(minutes.map((row) => row.minute))) {
    const fromMs = minute * MINUTE_MS;
    for (const part of clip(spans, { fromMs, toMs: fromMs + MINUTE_MS }))
      ms += part.toMs - part.fromMs;
  }
  return Math.floor(ms / 1000);
}

function sum<Row>(rows: readonly Row[], of: (row: Row) => number): number {
  let total = 0;
  for (const row of rows) total += of(row);
  return total;
}
