import { z } from "zod";
import { durationSeconds } from "./duration";
import { shown } from "./parse";
import { clockAt, clockReaches, firstSecond } from "./zone-clock";

export type CalendarUnit = "s" | "m" | "h" | "d" | "mo";
/** `count` units: `15m`, `6h`, `1d`, `3mo`. */
export type CalendarPeriod = { count: number; unit: CalendarUnit };

const FORM = /^([1-9][0-9]{0,7})(s|m|h|d|mo)$/;
const DAYS_MAX = 366;
const MONTHS_MAX = 12;

/** Null if the text is no period, or a longer one than a year. */
export function calendarPeriod(text: string): CalendarPeriod | null {
  const parts = FORM.exec(text);
  if (parts === null) return null;
  const count = Number(parts[1]);
  const unit = parts[2] as CalendarUnit;
  if (unit === "mo") return count <= MONTHS_MAX ? { count, unit } : null;
  const seconds = durationSeconds(text);
  return seconds !== null && seconds <= DAYS_MAX * 86_400 ? { count, unit } : null;
}

const UNIT_WORDS: Record<CalendarUnit, string> = {
  s: "second",
  m: "minute",
  h: "hour",
  d: "day",
  mo: "month",
};

/** `calendar month`, `15 calendar minutes` */
export function periodWords({ count, unit }: CalendarPeriod): string {
  const words = `calendar ${UNIT_WORDS[unit]}`;
  return count === 1 ? words : `${count} ${words}s`;
}

/** A calendar period as people write it, kept as written. */
export function calendarPer(name: string) {
  return z
    .string({
      error: (issue) => `${name} must be a period such as 1m, 1d or 1mo, got ${shown(issue.input)}`,
    })
    .refine((text) => calendarPeriod(text) !== null, {
      error: (issue) =>
        `${name} must be a period such as 15m, 6h, 1d (at most ${DAYS_MAX}d) or 1mo (at most ${MONTHS_MAX}mo), got ${shown(issue.input)}`,
    });
}

/** An IANA name that this runtime knows; offsets such as +02:00 have no calendar rules and are none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Instants in µs, whole seconds: start <= now < end. */
export type Window = { startUs: number; endUs: number };

/**
 * The window of an instant in a time zone. Days and months are the zone's own, counted from 1970-01-01: a day may
 * have 23 or 25 hours. Shorter periods that divide a day begin with it; others begin at multiples since 1970 in UTC.
 * Windows of up to an hour go by the clock of their time: an hour that the clocks repeat is another window, and one
 * within which they are moved ends there. Windows follow each other without a gap.
 */
export function windowAt({ count, unit }: CalendarPeriod, timeZone: string, nowUs: number): Window {
  const nowMs = Math.floor(nowUs / 1000);
  if (unit === "mo") {
    const local = new Date(clockAt(timeZone, nowMs));
    const first = floorTo(local.getUTCFullYear() * 12 + local.getUTCMonth(), count) / count;
    return steps(timeZone, nowMs, first, (step) => monthStart(step * count));
  }
  if (unit === "d") {
    const first = Math.floor(clockAt(timeZone, nowMs) / (count * DAY_MS));
    return steps(timeZone, nowMs, first, (step) => step * count * DAY_MS);
  }
  const lengthMs = (durationSeconds(`${count}${unit}`) ?? 1) * 1000;
  if (DAY_MS % lengthMs !== 0) {
    const startMs = floorTo(nowMs, lengthMs);
    return between(startMs, startMs + lengthMs);
  }
  // Days are whole multiples since 1970, so such periods begin with them.
  const local = clockAt(timeZone, nowMs);
  if (lengthMs > HOUR_MS)
    return steps(timeZone, nowMs, Math.floor(local / lengthMs), (step) => step * lengthMs);
  const startMs = nowMs - (local - floorTo(local, lengthMs));
  return withinOneClock(timeZone, nowMs, { startMs, endMs: startMs + lengthMs });
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function floorTo(value: number, step: number): number {
  return Math.floor(value / step) * step;
}

function between(startMs: number, endMs: number): Window {
  return { startUs: startMs * 1000, endUs: endMs * 1000 };
}

/** Months since the year 0, as a clock's midnight. */
function monthStart(months: number): number {
  return new Date(0).setUTCFullYear(0, months, 1);
}

/** From one step of the clock to the next. `clockOf` is a step's time, rising; `first` is the one that it shows. */
function steps(
  timeZone: string,
  nowMs: number,
  first: number,
  clockOf: (step: number) => number,
): Window {
  let startMs = clockReaches(timeZone, clockOf(first));
  for (let next = first + 1; ; next += 1) {
    const endMs = clockReaches(timeZone, clockOf(next));
    // Else it was reached already, and the clock was set back behind it.
    if (endMs > nowMs) return between(startMs, endMs);
    startMs = endMs;
  }
}

function withinOneClock(
  timeZone: string,
  nowMs: number,
  { startMs, endMs }: { startMs: number; endMs: number },
): Window {
  const offsetMs = clockAt(timeZone, nowMs) - nowMs;
  const isMoved = (ms: number) => clockAt(timeZone, ms) - ms !== offsetMs;
  const start = isMoved(startMs) ? firstSecond(startMs, nowMs, (ms) => !isMoved(ms)) : startMs;
  const end = isMoved(endMs - 1000) ? firstSecond(nowMs, endMs, isMoved) : endMs;
  return between(start, end);
}
