import { z } from "zod";
import { shown } from "./parse";

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86400 };
const FORM = /^([1-9][0-9]{0,7})(s|m|h|d)$/;

/** `"90s"`, `"1m"`, `"1h"`, `"1d"` to whole seconds; null if it is not such a duration. */
export function durationSeconds(text: string): number | null {
  const parts = FORM.exec(text);
  const unit = parts?.[2] === undefined ? undefined : SECONDS[parts[2]];
  if (parts?.[1] === undefined || unit === undefined) return null;
  return Number(parts[1]) * unit;
}

/** A duration as people write it, kept as written, at most `maxSeconds`. */
export function durationText(name: string, maxSeconds: number) {
  return z
    .string({
      error: (issue) =>
        `${name} must be a duration such as 90s, 1m, 1h or 1d, got ${shown(issue.input)}`,
    })
    .refine((text) => durationSeconds(text) !== null, {
      error: (issue) =>
        `${name} must be a duration such as 90s, 1m, 1h or 1d, got ${shown(issue.input)}`,
      abort: true,
    })
    .refine((text) => (durationSeconds(text) ?? Number.POSITIVE_INFINITY) <= maxSeconds, {
      error: (issue) =>
        `${name} must be at most ${durationWords(maxSeconds)}, got ${shown(issue.input)}`,
    });
}

/** Seconds in the largest unit that divides them: 3600 to `"1h"`, 90 to `"90s"`. */
export function durationWords(seconds: number): string {
  for (const unit of ["d", "h", "m"]) {
    const size = SECONDS[unit] ?? 1;
    if (seconds >= size && seconds % size === 0) return `${seconds / size}${unit}`;
  }
  return `${seconds}s`;
}
