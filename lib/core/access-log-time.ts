const MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
const CLF =
  /^(\d{1,2})\/([A-Za-z]{3})\/(\d{4}):(\d{2}):(\d{2}):(\d{2})(?:\.\d+)? ([+-])(\d{2}):?(\d{2})$/;
const DATE_TIME =
  /^(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,9}))?\s?(Z|z|UTC|[+-]\d{2}:?\d{2})?$/;

/**
 * `17/May/2015:10:05:03 +0000` as epoch ms; null when there is no such time. The offset decides, so lines on both sides
 * of a clock change keep their order.
 */
export function clfInstant(text: string): number | null {
  const parts = CLF.exec(text);
  if (parts === null) return null;
  const [day, year, hour, minute, second, offsetHours, offsetMinutes] = [1, 3, 4, 5, 6, 8, 9].map(
    (i) => Number(parts[i]),
  ) as [number, number, number, number, number, number, number];
  const month = MONTHS.indexOf((parts[2] ?? "").toLowerCase()) / 3;
  if (!Number.isInteger(month) || month < 0 || hour > 23 || minute > 59 || second > 60) return null;
  if (offsetHours > 15 || offsetMinutes > 59) return null;
  const midnight = Date.UTC(year, month, day);
  if (day < 1 || new Date(midnight).getUTCDate() !== day) return null;
  const offset = (offsetHours * 60 + offsetMinutes) * (parts[7] === "-" ? -60_000 : 60_000);
  return midnight + (hour * 3600 + minute * 60 + second) * 1000 - offset;
}

/** `2015-05-17T10:05:03.5Z`, also with a blank, slashes or another offset; without an offset it is UTC. */
export function dateTimeInstant(text: string): number | null {
  const parts = DATE_TIME.exec(text);
  if (parts === null) return null;
  const [, year, month, day, time, fraction = "0", zone = "Z"] = parts;
  const offset = zone.length < 5 ? "Z" : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  const wholeMs = Date.parse(`${year}-${month}-${day}T${time}${offset}`);
  // Date.parse takes the 30th of February for the 1st of March.
  if (Number.isNaN(wholeMs) || !isDay(Number(year), Number(month), Number(day))) return null;
  return wholeMs + Number(`0.${fraction}`) * 1000;
}

function isDay(year: number, month: number, day: number): boolean {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

/** Any of these, or seconds, ms, µs or ns since 1970 by their size; null when it is no time. */
export function instantOf(value: unknown): number | null {
  if (typeof value === "number") return epochInstant(value);
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (/^\d{9,19}(?:\.\d+)?$/.test(text)) return epochInstant(Number(text));
  return dateTimeInstant(text) ?? clfInstant(text.replace(/^\[|\]$/g, ""));
}

/** Each unit's bounds are the years 1973 to 5138 in it. */
function epochInstant(value: number): number | null {
  if (!(value >= 1e8)) return null;
  if (value < 1e11) return value * 1000;
  if (value < 1e14) return value;
  return value < 1e17 ? value / 1e3 : value / 1e6;
}
