const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en-US", {
  notation: "compact",
  maximumSignificantDigits: 3,
});

/** 1234567 → "1,234,567" */
export function formatCount(value: number): string {
  return whole.format(value);
}

/** 1234567 → "1.23M"; below ten thousand in full. */
export function formatCompact(value: number): string {
  return Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value);
}

/** "1 rule", "1,000 rules". */
export function formatPlural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A share from 0 to 1 → "0.42%"; never "0%" for something, never "100%" for less than all. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent <= 0) return "0%";
  if (percent < 0.01) return "<0.01%";
  if (percent > 99.99 && percent < 100) return ">99.99%";
  const digits = percent < 1 ? 2 : percent < 10 || (percent > 99 && percent < 100) ? 1 : 0;
  const shown = percent.toFixed(digits);
  return percent < 100 && Number(shown) === 100 ? `${percent.toFixed(2)}%` : `${shown}%`;
}

/** Milliseconds → "840 ms", "3.1 s", "2 min 5 s", "1 h 3 min". */
export function formatMs(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_500) return `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return parts(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return parts(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(minutes / 60);
  return parts(Math.floor(hours / 24), "d", hours % 24, "h");
}

function parts(a: number, aUnit: string, b: number, bUnit: string): string {
  return b === 0 ? `${a} ${aUnit}` : `${a} ${aUnit} ${b} ${bUnit}`;
}

/** Whole units only, so that a table of ages stays calm: "just now", "41 s ago", "14 min ago". */
export function formatAge(thenMs: number, nowMs: number): string {
  const seconds = Math.round((nowMs - thenMs) / 1000);
  const ahead = seconds < 0;
  const size = Math.abs(seconds);
  if (size < 5) return "just now";
  const [count, unit] =
    size < 60
      ? [size, "s"]
      : size < 3600
        ? [Math.floor(size / 60), "min"]
        : size < 86_400
          ? [Math.floor(size / 3600), "h"]
          : [Math.floor(size / 86_400), "d"];
  return ahead ? `in ${count} ${unit}` : `${count} ${unit} ago`;
}

export type TimeFormat = "datetime" | "minute" | "time" | "date";

/** "2026-11-29 02:51:07 UTC" and shorter forms; always UTC, always said so. */
export function formatUtc(date: Date, format: TimeFormat = "datetime"): string {
  const iso = date.toISOString();
  const day = iso.slice(0, 10);
  switch (format) {
    case "datetime":
      return `${day} ${iso.slice(11, 19)} UTC`;
    case "minute":
      return `${day} ${iso.slice(11, 16)} UTC`;
    case "time":
      return `${iso.slice(11, 19)} UTC`;
    case "date":
      return day;
  }
}
