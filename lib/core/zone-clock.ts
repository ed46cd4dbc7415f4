const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

const formats = new Map<string, Intl.DateTimeFormat>();

/** What a zone's clock shows at an instant, as if it were UTC; ms. */
export function clockAt(timeZone: string, ms: number): number {
  return ms + offsetMs(timeZone, ms);
}

/**
 * The first instant (ms) at which a zone's clock shows `clockMs` or, where it is set forward over that, more.
 * Clocks are taken to be set at most once within two days.
 */
export function clockReaches(timeZone: string, clockMs: number): number {
  const before = offsetMs(timeZone, clockMs - DAY_MS);
  const after = offsetMs(timeZone, clockMs + DAY_MS);
  const early = clockMs - before;
  if (before === after || offsetMs(timeZone, early) === before) return early;
  const late = clockMs - after;
  if (offsetMs(timeZone, late) === after) return late;
  return firstSecond(late, early, (ms) => offsetMs(timeZone, ms) === after);
}

/** The first whole second in (from, to] from which on `is` holds; at `to` it does. */
export function firstSecond(from: number, to: number, is: (ms: number) => boolean): number {
  let low = Math.floor(from / SECOND_MS);
  let high = Math.ceil(to / SECOND_MS);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (is(middle * SECOND_MS)) high = middle;
    else low = middle;
  }
  return high * SECOND_MS;
}

function offsetMs(timeZone: string, ms: number): number {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
    formats.set(timeZone, format);
  }
  const parts = OFFSET.exec(format.format(ms));
  if (parts === null) throw new RangeError(`no offset of ${timeZone} at ${ms}`);
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = parts;
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND_MS;
  return sign === "-" ? -size : size;
}
