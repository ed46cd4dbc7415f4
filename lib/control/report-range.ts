import { AppError } from "@/lib/core/errors";

const MINUTE_MS = 60_000;
const HOUR_MS = 3600_000;
const DAY_MS = 86_400_000;
export const REPORT_DEFAULT_MS = DAY_MS;
const REPORT_MAX_MS = 92 * DAY_MS;

export type ReportRange = {
  /** Start of a minute. */
  fromMs: number;
  /** End of a minute, or now. */
  toMs: number;
  /** Between two points of the series. */
  stepSeconds: number;
};

/** Figures are kept by minute, so the interval grows to whole ones; the running minute is included. */
export function reportRange(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  nowMs: number,
): ReportRange {
  const askedTo = to === undefined ? nowMs : Date.parse(to);
  const askedFrom = from === undefined ? askedTo - REPORT_DEFAULT_MS : Date.parse(from);
  const toMs = Math.min(nowMs, Math.ceil(askedTo / MINUTE_MS) * MINUTE_MS);
  const fromMs = Math.floor(askedFrom / MINUTE_MS) * MINUTE_MS;
  const words = `${new Date(askedFrom).toISOString()} to ${new Date(askedTo).toISOString()}`;
  if (fromMs >= toMs) refuse(`from must be before to and not in the future, got ${words}`);
  if (Math.min(askedTo, nowMs) - askedFrom > REPORT_MAX_MS)
    refuse(`from and to must be at most ${REPORT_MAX_MS / DAY_MS} days apart, got ${words}`);
  return { fromMs, toMs, stepSeconds: stepOf(toMs - fromMs) };
}

/** At most some 300 points. */
function stepOf(lengthMs: number): number {
  if (lengthMs <= 3 * HOUR_MS + MINUTE_MS) return 60;
  if (lengthMs <= DAY_MS + HOUR_MS) return 300;
  return lengthMs <= 14 * DAY_MS ? 3600 : 86_400;
}

function refuse(message: string): never {
  throw new AppError("invalid", message, { errors: [{ path: "from", message }] });
}
