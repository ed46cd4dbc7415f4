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
};

export const BROKEN_REASONS = {
  blank: "the line is blank",
  "too-long": "the line is longer than 64 KiB",
  "no-time": "there is no [time] such as [17/May/2015:10:05:03 +0000]",
  "bad-time": "the time does not exist",
  "no-client": "the host field is - : nobody to send it as",
  "client-not-address": "the host field is no IP address",
  "no-request": 'there is no request such as "GET / HTTP/1.1"',
  "bad-method": "the request's method is none",
  "bad-target": "what was requested is neither a path nor an http address",
  "no-status": "no status follows the request",
} as const;

export type BrokenReason = keyof typeof BROKEN_REASONS;
export type AccessLogLine = { ok: AccessLogEntry } | { broken: BrokenReason };

export const LINE_LENGTH_MAX = 65_536;

const TIME =
  /\[(\d{1,2})\/([A-Za-z]{3})\/(\d{4}):(\d{2}):(\d{2}):(\d{2})(?:\.\d+)? ([+-])(\d{2}):?(\d{2})\]/;
const ISO_TIME = /\[(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2}))\]/;
const MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"';
const AFTER_TIME = new RegExp(`^\\s*${QUOTED}\\s+(\\d{3}|-)(?:\\s+(\\d+|-))?(?=\\s|"|$)(.*)$`, "s");
/** A quote that the log did not escape: the request ends where a status follows. */
const AFTER_TIME_LOOSE = /^\s*"(.*?)"\s+(\d{3}|-)(?:\s+(\d+|-))?(?=\s|"|$)(.*)$/s;
const AGENTS = new RegExp(`^\\s*${QUOTED}(?:\\s+${QUOTED})?`, "s");
const METHOD = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;

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
  const clf = TIME.exec(line);
  if (clf !== null)
    return { start: clf.index, end: clf.index + clf[0].length, atMs: clfInstant(clf) };
  const iso = ISO_TIME.exec(line);
  if (iso === null) return null;
  const atMs = Date.parse((iso[1] ?? "").replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));
  return {
    start: iso.index,
    end: iso.index + iso[0].length,
    atMs: Number.isNaN(atMs) ? null : atMs,
  };
}

/** The offset decides, so lines on both sides of a clock change keep their order. */
function clfInstant(parts: RegExpExecArray): number | null {
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

type Who = Pick<AccessLogEntry, "client" | "addresses" | "user">;

function parseWho(text: string): Who | { broken: BrokenReason } {
  const words = text.replace(/^\s*"/, "").trim().split(/\s+/);
  const start = hasVirtualHost(words) ? 1 : 0;
  let end = start + 1;
  while (words[end - 1]?.endsWith(",") === true && end < words.length) end += 1;
  const host = words.slice(start, end).join("");
  if (host === "-" || host === "") return { broken: "no-client" };
  const listed = host.split(",").filter((entry) => entry !== "");
  const client = listed.map(addressOf).find((address) => address !== null);
  if (client === undefined || client === null) return { broken: "client-not-address" };
  const user = words
    .slice(end + 1)
    .join(" ")
    .replace(/^"(.*)"$/, "$1");
  return { client, addresses: listed.length, user: user === "" || user === "-" ? null : user };
}

/** `www.example.test:443 198.51.100.7 - - `: a first word that is no bare address before one that is. */
function hasVirtualHost([first = "", second = ""]: string[]): boolean {
  if (first.endsWith(",") || parseIp(first) !== null) return false;
  return addressOf(second.replace(/,.*$/, "")) !== null;
}

/** `198.51.100.7`, `198.51.100.7:51234`, `[2001:db8::1]:443`; null if it is no address. */
function addressOf(text: string): string | null {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text);
  const ported = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(text);
  return parseIp(bracketed?.[1] ?? ported?.[1] ?? text)?.toString() ?? null;
}

type Rest = Omit<AccessLogEntry, keyof Who | "atMs">;

function parseRest(text: string): Rest | { broken: BrokenReason } {
  const isCsv = /^\s*""[^"\s]/.test(text);
  const rest = isCsv ? text.replaceAll('""', '"') : text;
  const parts = AFTER_TIME.exec(rest) ?? AFTER_TIME_LOOSE.exec(rest);
  if (parts === null) return { broken: rest.includes('"') ? "no-status" : "no-request" };
  const [, request = "", status, bytes, tail = ""] = parts;
  const asked = parseRequest(unescapeLog(request));
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

/** The target keeps blanks that a client did not encode: the method is the first word, the protocol the last. */
function parseRequest(request: string): Pick<Rest, "method" | "target"> | { broken: BrokenReason } {
  const text = request.trim();
  if (text === "" || text === "-") return { broken: "no-request" };
  const blank = text.indexOf(" ");
  const method = blank === -1 ? text : text.slice(0, blank);
  if (!METHOD.test(method)) return { broken: "bad-method" };
  if (blank === -1) return { broken: "no-request" };
  const protocol = /^(.*) HTTP\/\d(?:\.\d)?$/s.exec(text);
  const raw = (protocol?.[1] ?? text).slice(blank + 1).trim();
  const path = raw.replace(/^https?:\/\/[^/?#]*/i, "");
  const isAbsolute = path !== raw;
  if (method === "OPTIONS" && raw === "*") return { method, target: "*" };
  if (!path.startsWith("/") && !isAbsolute) return { broken: "bad-target" };
  return { method, target: sendable(path.startsWith("/") ? path : `/${path}`) };
}

/** Percent-encodes only what may not stand in a request line, so that odd paths arrive as they were. */
function sendable(path: string): string {
  return path.replace(/[^\x21-\x7e]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code <= 0xff) return `%${code.toString(16).toUpperCase().padStart(2, "0")}`;
    return code >= 0xd800 && code <= 0xdfff ? "%EF%BF%BD" : encodeURIComponent(character);
  });
}

/** Apache's and nginx's escapes: `\"`, `\\`, `\t`, `\x22` (one byte each). */
function unescapeLog(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\(?:x([0-9A-Fa-f]{2})|(.))/gs, (_, hex?: string, character?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return (
      { n: "\n", r: "\r", t: "\t", b: "\b", v: "\v", f: "\f" }[character ?? ""] ?? character ?? ""
    );
  });
}

function numberOf(text: string | undefined): number | null {
  return text === undefined || text === "-" ? null : Number(text);
}

function textOf(text: string | undefined): string | null {
  return text === undefined || text === "" || text === "-" ? null : unescapeLog(text);
}
