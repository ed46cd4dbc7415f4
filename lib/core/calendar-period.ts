import { TZDate } from "@date-fns/tz";
import { z } from "zod";
import { durationSeconds } from "./duration";
import { shown } from "./parse";

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
 */
export function windowAt({ count, unit }: CalendarPeriod, timeZone: string, nowUs: number): Window {
  const nowMs = Math.floor(nowUs / 1000);
  if (unit === "mo") {
    const local = new TZDate(nowMs, timeZone);
    const month = floorTo(local.getFullYear() * 12 + local.getMonth(), count);
    return between(midnight(timeZone, 0, month, 1), midnight(timeZone, 0, month + count, 1));
  }
  if (unit === "d") {
    const local = new TZDate(nowMs, timeZone);
    const today = Date.UTC(local.getFullYear(), local.getMonth(), local.getDate()) / DAY_MS;
    const first = floorTo(today, count);
    return between(
      midnight(timeZone, 1970, 0, 1 + first),
      midnight(timeZone, 1970, 0, 1 + first + count),
    );
  }
  const seconds = durationSeconds(`${count}${unit}`) ?? 1;
  const lengthMs = seconds * 1000;
  if (DAY_MS % lengthMs !== 0) {
    const startMs = floorTo(nowMs, lengthMs);
    return between(startMs, startMs + lengthMs);
  }
  const local = new TZDate(nowMs, timeZone);
  const ofDayMs =
    ((local.getHours() * 60 + local.getMinutes()) * 60 + local.getSeconds()) * 1000 +
    (nowMs % 1000);
  if (lengthMs <= HOUR_MS) {
    // By the clock of now: an hour that the clocks repeat is another window.
    const startMs = nowMs - (ofDayMs % lengthMs);
    return between(startMs, startMs + lengthMs);
  }
  const first = floorTo(ofDayMs, lengthMs) / 1000;
  return between(ofDay(local, timeZone, first), ofDay(local, timeZone, first + seconds));
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function floorTo(value: number, step: number): number {
  return Math.floor(value / step) * step;
}

function between(startMs: number, endMs: number): Window {
  return { startUs: startMs * 1000, endUs: endMs * 1000 };
}

/** Fields run over as Date's do: month 24311 of year 0 is December 2025. */
function midnight(timeZone: string, year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return new TZDate(
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    timeZone,
  ).getTime();
}

function ofDay(local: TZDate, timeZone: string, seconds: number): number {
  const [year, month, day] = [local.getFullYear(), local.getMonth(), local.getDate()];
  return new TZDate(year, month, day, 0, 0, seconds, timeZone).getTime();
}
