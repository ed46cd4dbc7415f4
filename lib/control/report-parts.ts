import { COUNTS_KEPT_MS } from "./counts-kept";
import { type ReportRange, reportRange } from "./report-range";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export type Level = "minute" | "hour" | "day";
/** Read at one level; of minutes the last may be the running one. */
export type Part = { level: Level; fromMs: number; toMs: number };
type Range = { fromMs: number; toMs: number };

export type ReportParts = ReportRange & {
  /** Of requests by plan and route. */
  counts: Part[];
  /** Of clients: the coarsest that there is, as nothing is drawn of them. */
  clients: Part[];
  /** In which steps of five minutes are known. */
  worst: Part[];
  /** The same of one client. */
  worstOfClient: Part[];
  notes: string[];
};

const LENGTH_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;

/** The interval in whole hours or days as far as they fit, and in finer ones at its ends; oldest first, without gaps. */
export function splitRange({ fromMs, toMs }: Range, coarsest: Level): Part[] {
  if (fromMs >= toMs) return [];
  if (coarsest === "minute") return [{ level: "minute", fromMs, toMs }];
  const firstMs = ceil(fromMs, coarsest);
  const endMs = floor(toMs, coarsest);
  const finer = coarsest === "day" ? "hour" : "minute";
  if (firstMs >= endMs) return splitRange({ fromMs, toMs }, finer);
  return [
    ...splitRange({ fromMs, toMs: firstMs }, finer),
    { level: coarsest, fromMs: firstMs, toMs: endMs },
    ...splitRange({ fromMs: endMs, toMs }, finer),
  ];
}

/**
 * What a report reads of which level. Where an end of the interval is too old for its minutes, or hours, it moves outwards
 * to a whole hour, or day: nothing that was asked for is left out, and `notes` says what came with it.
 */
export function reportParts(
  asked: { from?: string | undefined; to?: string | undefined },
  nowMs: number,
): ReportParts {
  const range = reportRange(asked, nowMs);
  const notes: string[] = [];
  const fromMs = movedEnd(range.fromMs, { end: "from", move: floor, nowMs, notes });
  const toMs = movedEnd(range.toMs, { end: "to", move: ceil, nowMs, notes });
  const kept = finestAt(fromMs, nowMs);
  const coarsest = coarser(levelOfStep(range.stepSeconds), kept);
  const whole = { fromMs, toMs };
  if (fromMs < keptFrom("hour", nowMs))
    notes.push(
      `which gateways reported is kept for ${days(COUNTS_KEPT_MS.hours)}, so the coverage says nothing of the days before`,
    );
  if (fromMs < nowMs - COUNTS_KEPT_MS.days)
    notes.push(
      `nothing is kept longer than ${days(COUNTS_KEPT_MS.days)}: what was counted before is not in these figures`,
    );
  const known = { fromMs: Math.max(fromMs, ceil(keptFrom("hour", nowMs), "hour")), toMs };
  return {
    ...whole,
    stepSeconds: Math.max(range.stepSeconds, stepOfLevel(coarsest)),
    counts: splitRange(whole, coarsest),
    clients: splitRange(whole, coarsest === "minute" ? "minute" : "day"),
    worst: splitRange(known, coarsest === "minute" ? "minute" : "hour"),
    worstOfClient: splitRange(
      { fromMs: Math.max(fromMs, keptFrom("minute", nowMs)), toMs },
      "minute",
    ),
    notes,
  };
}

/** Partitions of minutes are whole days: the oldest day of which a part must be kept is there whole. */
function keptFrom(level: "minute" | "hour", nowMs: number): number {
  const keptMs = level === "minute" ? COUNTS_KEPT_MS.minutes : COUNTS_KEPT_MS.hours;
  return floor(nowMs - keptMs, "day");
}

function finestAt(ms: number, nowMs: number): Level {
  if (ms >= keptFrom("minute", nowMs)) return "minute";
  return ms >= keptFrom("hour", nowMs) ? "hour" : "day";
}

type End = {
  end: "from" | "to";
  move: (ms: number, level: Level) => number;
  nowMs: number;
  notes: string[];
};

function movedEnd(ms: number, { end, move, nowMs, notes }: End): number {
  const level = finestAt(ms, nowMs);
  const moved = level === "minute" ? ms : move(ms, level);
  if (moved !== ms)
    notes.push(
      `${end} moved to ${new Date(moved).toISOString()}: ${level === "hour" ? "minutes" : "hours"} are kept for ${days(level === "hour" ? COUNTS_KEPT_MS.minutes : COUNTS_KEPT_MS.hours)}, and before that there are whole ${level}s`,
    );
  return moved;
}

function floor(ms: number, level: Level): number {
  return Math.floor(ms / LENGTH_MS[level]) * LENGTH_MS[level];
}

function ceil(ms: number, level: Level): number {
  return Math.ceil(ms / LENGTH_MS[level]) * LENGTH_MS[level];
}

function coarser(a: Level, b: Level): Level {
  return LENGTH_MS[a] > LENGTH_MS[b] ? a : b;
}

function levelOfStep(stepSeconds: number): Level {
  if (stepSeconds < 3600) return "minute";
  return stepSeconds < 86_400 ? "hour" : "day";
}

function stepOfLevel(level: Level): number {
  return level === "minute" ? 1 : LENGTH_MS[level] / 1000;
}

function days(ms: number): string {
  return `${ms / DAY_MS} days`;
}
