import { firstAddress, loggedAddress, parseRequestLine, unescapeLog } from "./access-log-request";
import { clfInstant, dateTimeInstant } from "./access-log-time";
import { parseIp } from "./ip";

/** One request of an access log. Texts are as the client sent them: the log's escapes are undone. */
export type AccessLogEntry = {
  /** Canonical address, without port and zone. */
  client: string;
  /** How many addresses the host field listed; of several, the first is the client. */
  addresses: number;
  user: string | null;
  atMs: number;
  method: string;
  /** Path and query, beginning with `/`, safe to send; `*` of OPTIONS. */
  target: string;
  /** Null where the log has `-`: no answer was sent. */
  status: number | null;
  bytes: number | null;
  referrer: string | null;
  userAgent: string | null;
  /** The API key or its prefix as it was logged; only logs in JSON have one. */
  key: string | null;
};

export const BROKEN_REASONS = {
  blank: "the line is blank",
  "too-long": "the line is longer than 64 KiB",
  "not-json": "the line is no JSON object",
  "not-alb": "the line has not the fields of a load balancer's log",
  "no-time": "there is no time, such as [17/May/2015:10:05:03 +0000]",
  "bad-time": "the time does not exist",
  "no-client": "there is no client's address: nobody to send it as",
  "client-not-address": "the client is no IP address",
  "no-request": 'there is no request such as "GET / HTTP/1.1"',
  "bad-method": "the request's method is none",
  "bad-target": "what was requested is neither a path nor an http address",
  "no-status": "no status follows the request",
} as const;

export type BrokenReason = keyof typeof BROKEN_REASONS;
export type AccessLogLine = { ok: AccessLogEntry } | { broken: BrokenReason };

export const LINE_LENGTH_MAX = 65_536;

const TIME = /\[(\d{1,2}\/[A-Za-z]{3}\/\d{4}:\d{2}:\d{2}:\d{2}(?:\.\d+)? [+-]\d{2}:?\d{2})\]/;
const ISO_TIME = /\[(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2}))\]/;
const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"';
const AFTER_TIME = new RegExp(`^\\s*${QUOTED}\\s+(\\d{3}|-)(?:\\s+(\\d+|-))?(?=\\s|"|$)(.*)$`, "s");
/** A quote that the log did not escape: the request ends where a status follows. */
const AFTER_TIME_LOOSE = /^\s*"(.*?)"\s+(\d{3}|-)(?:\s+(\d+|-))?(?=\s|"|$)(.*)$/s;
const AGENTS = new RegExp(`^\\s*${QUOTED}(?:\\s+${QUOTED})?`, "s");

/**
 * A line of the combined (or common) log format, as found in the wild: a leading virtual host, a list of
 * addresses, ports, an extra pair of quotes, CSV-doubled quotes, user names with blanks.
 */
export function parseAccessLogLine(text: string): AccessLogLine {
  if (text.length > LINE_LENGTH_MAX) return { broken: "too-long" };
  const line = text.replace(/^\uFEFF/, "").trim();
  if (line === "") return { broken: "blank" };
  const time = findTime(line);
  if (time === null) return { broken: "no-time" };
  const who = parseWho(line.slice(0, time.start));
  if ("broken" in who) return who;
  if (time.atMs === null) return { broken: "bad-time" };
  const rest = parseRest(line.slice(time.end));
  return "broken" in rest ? rest : { ok: { ...who, atMs: time.atMs, ...rest } };
}

function findTime(line: string): { start: number; end: number; atMs: number | null } | null {
  const found = TIME.exec(line);
  const time = found ?? ISO_TIME.exec(line);
  if (time === null) return null;
  const [whole, text = ""] = time;
  const atMs = found === null ? dateTimeInstant(text) : clfInstant(text);
  return { start: time.index, end: time.index + whole.length, atMs };
}

type Who = Pick<AccessLogEntry, "client" | "addresses" | "user" | "key">;

function parseWho(text: string): Who | { broken: BrokenReason } {
  const words = text.replace(/^\s*"/, "").trim().split(/\s+/);
  const start = hasVirtualHost(words) ? 1 : 0;
  let end = start + 1;
  while (words[end - 1]?.endsWith(",") === true && end < words.length) end += 1;
  const host = words.slice(start, end).join("");
  if (host === "-" || host === "") return { broken: "no-client" };
  const found = firstAddress(host);
  if (found === null) return { broken: "client-not-address" };
  const user = words
    .slice(end + 1)
    .join(" ")
    .replace(/^"(.*)"$/, "$1");
  return { ...found, user: user === "" || user === "-" ? null : user, key: null };
}

/** `www.example.test:443 198.51.100.7 - - `: a first word that is no bare address before one that is. */
function hasVirtualHost([first = "", second = ""]: string[]): boolean {
  if (first.endsWith(",") || parseIp(first) !== null) return false;
  return loggedAddress(second.replace(/,.*$/, "")) !== null;
}

type Rest = Omit<AccessLogEntry, keyof Who | "atMs">;

function parseRest(text: string): Rest | { broken: BrokenReason } {
  const isCsv = /^\s*""[^"\s]/.test(text);
  const rest = isCsv ? text.replaceAll('""', '"') : text;
  const parts = AFTER_TIME.exec(rest) ?? AFTER_TIME_LOOSE.exec(rest);
  if (parts === null) return { broken: rest.includes('"') ? "no-status" : "no-request" };
  const [, request = "", status, bytes, tail = ""] = parts;
  const asked = parseRequestLine(unescapeLog(request));
  if ("broken" in asked) return asked;
  const [, referrer, userAgent] = AGENTS.exec(tail) ?? [];
  return {
    ...asked,
    status: numberOf(status),
    bytes: numberOf(bytes),
    referrer: textOf(referrer),
    userAgent: textOf(userAgent),
  };
}

function numberOf(text: string | undefined): number | null {
  return text === undefined || text === "-" ? null : Number(text);
}

function textOf(text: string | undefined): string | null {
  return text === undefined || text === "" || text === "-" ? null : unescapeLog(text);
}
