import {
  type AccessLogEntry,
  type AccessLogLine,
  LINE_LENGTH_MAX,
  parseAccessLogLine,
} from "./access-log";
import { clfInstant } from "./access-log-time";
import { parseIp } from "./ip";

const ADDRESSES_MAX = 200_000;
/** ` - - [`, between the address and the time. */
const NOBODY = " - - [";
/** `17/May/2015:10:05:03 +0000` */
const TIME_LENGTH = 26;
const DAY_LENGTH = 12;
const ZONE_AT = 20;
const BLANK = 0x20;
const QUOTE = 0x22;
const DASH = 0x2d;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;

/**
 * `parseAccessLogLine` for millions of lines: one in the very form that Apache and nginx write, without escapes, is cut
 * at its marks; any other goes the long way. Addresses are parsed once, days worked out once.
 */
export function createCombinedParser(): (text: string) => AccessLogLine {
  const addresses = new Map<string, string>();
  const methods = new Map<string, string>();
  let day = "?";
  let zone = "?";
  let midnightMs = 0;

  function addressOf(text: string): string | null {
    const known = addresses.get(text);
    if (known !== undefined) return known;
    const client = parseIp(text)?.toString();
    if (client === undefined) return null;
    if (addresses.size >= ADDRESSES_MAX) addresses.clear();
    addresses.set(` ${text}`.slice(1), client);
    return client;
  }

  function methodOf(text: string): string | null {
    const known = methods.get(text);
    if (known !== undefined) return known;
    if (methods.size > 100 || !/^[A-Z]{3,12}$/.test(text)) return null;
    methods.set(text, text);
    return text;
  }

  function timeOf(line: string, at: number): number {
    const hour = twoDigits(line, at + 12);
    const minute = twoDigits(line, at + 15);
    const second = twoDigits(line, at + 18);
    if (!(hour <= 23 && minute <= 59 && second <= 60)) return Number.NaN;
    if (line.charCodeAt(at + 14) !== 0x3a || line.charCodeAt(at + 17) !== 0x3a) return Number.NaN;
    if (!line.startsWith(day, at) || !line.startsWith(zone, at + ZONE_AT)) {
      const start = line.slice(at, at + DAY_LENGTH);
      const end = line.slice(at + ZONE_AT, at + TIME_LENGTH);
      const found = clfInstant(`${start}00:00:00${end}`);
      if (found === null) return Number.NaN;
      day = start;
      zone = end;
      midnightMs = found;
    }
    return midnightMs + (hour * 3600 + minute * 60 + second) * 1000;
  }

  function plain(line: string): AccessLogEntry | null {
    const hostEnd = line.indexOf(" ");
    if (hostEnd < 0 || !line.startsWith(NOBODY, hostEnd)) return null;
    const timeAt = hostEnd + NOBODY.length;
    const requestAt = timeAt + TIME_LENGTH + 3;
    if (!line.startsWith('] "', timeAt + TIME_LENGTH)) return null;
    const requestEnd = line.indexOf('"', requestAt);
    const methodEnd = line.indexOf(" ", requestAt);
    const protocolAt = protocolStart(line, requestEnd);
    if (methodEnd < 0 || protocolAt <= methodEnd + 1 || !isTarget(line, methodEnd + 1, protocolAt))
      return null;
    const statusAt = requestEnd + 2;
    const status = threeDigits(line, statusAt);
    const bytesAt = statusAt + 4;
    if (
      Number.isNaN(status) ||
      line.charCodeAt(requestEnd + 1) !== BLANK ||
      line.charCodeAt(statusAt + 3) !== BLANK
    )
      return null;
    const isUnknown = line.charCodeAt(bytesAt) === DASH;
    const bytesEnd = isUnknown ? bytesAt + 1 : digitsEnd(line, bytesAt);
    if (bytesEnd === bytesAt || bytesEnd - bytesAt > 15) return null;
    const tail = agentsOf(line, bytesEnd);
    if (tail === null) return null;
    const client = addressOf(line.slice(0, hostEnd));
    const method = methodOf(line.slice(requestAt, methodEnd));
    const atMs = timeOf(line, timeAt);
    if (client === null || method === null || Number.isNaN(atMs)) return null;
    return {
      client,
      addresses: 1,
      user: null,
      atMs,
      method,
      target: line.slice(methodEnd + 1, protocolAt),
      status,
      bytes: isUnknown ? null : Number(line.slice(bytesAt, bytesEnd)),
      referrer: tail.referrer,
      userAgent: tail.userAgent,
      key: null,
    };
  }

  return (text) => {
    const entry = text.length > LINE_LENGTH_MAX ? null : plain(text);
    return entry === null ? parseAccessLogLine(text) : { ok: entry };
  };
}

/** Where ` HTTP/1.1` begins that ends at `end`; -1 if it is not there. */
function protocolStart(line: string, end: number): number {
  if (end < 0 || !isDigit(line, end - 1)) return -1;
  if (line.startsWith(" HTTP/", end - 7)) return end - 7;
  const isLong =
    line.startsWith(" HTTP/", end - 9) && line[end - 2] === "." && isDigit(line, end - 3);
  return isLong ? end - 9 : -1;
}

/** A path that may be sent as it is. */
function isTarget(line: string, start: number, end: number): boolean {
  if (line.charCodeAt(start) !== SLASH) return false;
  for (let i = start; i < end; i += 1) {
    const code = line.charCodeAt(i);
    if (code <= BLANK || code > 0x7e || code === BACKSLASH) return false;
  }
  return true;
}

const NO_AGENTS = { referrer: null, userAgent: null };

/** ` "referrer" "agent"` after the size, or the end of the line; null for anything else. */
function agentsOf(line: string, at: number) {
  if (at === line.length) return NO_AGENTS;
  if (line.charCodeAt(at) !== BLANK || line.charCodeAt(at + 1) !== QUOTE) return null;
  if (line.indexOf("\\", at) !== -1) return null;
  const referrerEnd = line.indexOf('"', at + 2);
  if (referrerEnd < 0 || !line.startsWith('" "', referrerEnd)) return null;
  const agentEnd = line.indexOf('"', referrerEnd + 3);
  if (agentEnd < 0) return null;
  return {
    referrer: textBetween(line, at + 2, referrerEnd),
    userAgent: textBetween(line, referrerEnd + 3, agentEnd),
  };
}

function textBetween(line: string, start: number, end: number): string | null {
  const isNothing = start === end || (end === start + 1 && line.charCodeAt(start) === DASH);
  return isNothing ? null : line.slice(start, end);
}

function isDigit(line: string, at: number): boolean {
  const digit = line.charCodeAt(at) - 0x30;
  return digit >= 0 && digit <= 9;
}

function digitsEnd(line: string, at: number): number {
  let end = at;
  while (isDigit(line, end)) end += 1;
  return end;
}

function twoDigits(line: string, at: number): number {
  return isDigit(line, at) && isDigit(line, at + 1)
    ? (line.charCodeAt(at) - 0x30) * 10 + line.charCodeAt(at + 1) - 0x30
    : Number.NaN;
}

function threeDigits(line: string, at: number): number {
  return isDigit(line, at)
    ? (line.charCodeAt(at) - 0x30) * 100 + twoDigits(line, at + 1)
    : Number.NaN;
}
