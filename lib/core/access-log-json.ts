import type { AccessLogEntry, AccessLogLine, BrokenReason } from "./access-log";
import { LINE_LENGTH_MAX } from "./access-log";
import { asked, firstAddress, parseRequestLine } from "./access-log-request";
import { instantOf } from "./access-log-time";

/** What a line of JSON may say. `request` is a whole request line. */
export const LOG_FIELDS = {
  time: ["time", "timestamp", "@timestamp", "ts", "time_iso8601", "msec", "time_local", "datetime"],
  client: ["client_ip", "clientip", "remote_ip", "remote_addr", "source_ip", "client", "ip"],
  method: ["method", "request_method", "http_method", "verb"],
  path: ["request_uri", "uri", "path", "url", "target"],
  request: ["request"],
  status: ["status", "status_code", "response_status"],
  bytes: ["bytes", "body_bytes_sent", "bytes_sent", "size"],
  referrer: ["referrer", "referer", "http_referer"],
  userAgent: ["user_agent", "http_user_agent", "agent"],
  user: ["user", "remote_user", "user_id"],
  key: ["key", "api_key", "http_x_api_key"],
} as const;

export type LogField = keyof typeof LOG_FIELDS;
/** Which of a line's fields is meant, `a.b` inside others; of what is not named the first of LOG_FIELDS that is there. */
export type LogMapping = Partial<Record<LogField, string>>;

type Json = Record<string, unknown>;
type Who = Pick<AccessLogEntry, "client" | "addresses">;

const ADDRESSES_MAX = 200_000;

/**
 * Lines of JSON: nginx's variables under their names, Caddy's (whose `request` is an object), and others' by LOG_FIELDS
 * or a mapping. A proxy's header is nobody's word: X-Forwarded-For counts only if it is mapped.
 */
export function createJsonParser(mapping: LogMapping = {}): (text: string) => AccessLogLine {
  const fields = Object.fromEntries(
    Object.entries(LOG_FIELDS).map(([field, names]) => [field, namesOf(field, names, mapping)]),
  ) as Record<LogField, readonly (readonly string[])[]>;

  const addresses = new Map<string, Who | null>();
  /** What Caddy has inside `request`; null of other lines. */
  let inner: Json | null = null;

  function find(line: Json, field: LogField): unknown {
    for (const path of fields[field]) {
      const value = (inner === null ? undefined : at(inner, path)) ?? at(line, path);
      if (value !== undefined && value !== null && value !== "" && value !== "-") return value;
    }
    return undefined;
  }

  function whoOf(text: string): Who | null {
    const known = addresses.get(text);
    if (known !== undefined) return known;
    const who = firstAddress(text);
    if (addresses.size >= ADDRESSES_MAX) addresses.clear();
    addresses.set(text, who);
    return who;
  }

  return (text) => {
    if (text.length > LINE_LENGTH_MAX) return { broken: "too-long" };
    const line = objectOf(text);
    if (line === null) return { broken: isBlank(text) ? "blank" : "not-json" };
    inner = isObject(line.request) ? caddyFields(line.request) : null;
    return entryOf(line, find, whoOf);
  };
}

function entryOf(
  line: Json,
  find: (line: Json, field: LogField) => unknown,
  whoOf: (text: string) => Who | null,
): AccessLogLine {
  const textOf = (field: LogField) => {
    const value = find(line, field);
    return typeof value === "string" ? value : null;
  };
  const time = find(line, "time");
  if (time === undefined) return { broken: "no-time" };
  const atMs = instantOf(time);
  if (atMs === null) return { broken: "bad-time" };
  const address = find(line, "client");
  if (address === undefined) return { broken: "no-client" };
  const who = typeof address === "string" ? whoOf(address) : null;
  if (who === null) return { broken: "client-not-address" };
  const request = requestOf(textOf);
  if ("broken" in request) return request;
  const entry: AccessLogEntry = {
    client: who.client,
    addresses: who.addresses,
    user: textOf("user"),
    atMs,
    method: request.method,
    target: request.target,
    status: wholeOf(find(line, "status")),
    bytes: wholeOf(find(line, "bytes")),
    referrer: textOf("referrer"),
    userAgent: textOf("userAgent"),
    key: keyOf(textOf("key")),
  };
  return { ok: entry };
}

function requestOf(textOf: (field: LogField) => string | null) {
  const method = textOf("method");
  const path = textOf("path");
  if (method !== null && path !== null) return asked(method, path);
  const request = textOf("request");
  return request === null
    ? { broken: "no-request" as BrokenReason & "no-request" }
    : parseRequestLine(request);
}

/** Of several addresses Caddy's `client_ip` is who sent the request by its own trust in proxies. */
function caddyFields(request: Json): Json {
  const { client_ip, remote_ip, remote_addr, method, uri, headers } = request;
  const header = (name: string) => headerOf(isObject(headers) ? headers : {}, name);
  return {
    client_ip,
    remote_ip,
    remote_addr,
    method,
    uri,
    referer: header("Referer"),
    user_agent: header("User-Agent"),
    api_key: header("X-Api-Key") ?? header("Authorization"),
  };
}

/** The first of a header's values. */
function headerOf(headers: Json, name: string): string | undefined {
  const values = headers[name] ?? headers[name.toLowerCase()];
  const first: unknown = Array.isArray(values) ? values[0] : values;
  return typeof first === "string" && first !== "" ? first : undefined;
}

/** What a log struck out is no key. */
function keyOf(text: string | null): string | null {
  const key = text?.replace(/^Bearer\s+/i, "").trim() ?? "";
  return key === "" || /^(?:\[?redacted\]?|\*+|-)$/i.test(key) || /^Basic\s/i.test(key)
    ? null
    : key;
}

function objectOf(text: string): Json | null {
  const line = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const value = parsed(line) ?? (line.includes("\\x") ? parsed(jsonEscapes(line)) : undefined);
  return isObject(value) ? value : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** nginx without `escape=json` writes `\x22`, which JSON does not have; after two backslashes it is none. */
function jsonEscapes(text: string): string {
  return text.replace(/\\(?:x([0-9A-Fa-f]{2})|.)/gs, (whole, hex?: string) =>
    hex === undefined ? whole : `\\u00${hex}`,
  );
}

function isBlank(text: string): boolean {
  return text.replace(/^\uFEFF/, "").trim() === "";
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wholeOf(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

function namesOf(
  field: string,
  names: readonly string[],
  mapping: LogMapping,
): readonly (readonly string[])[] {
  const mapped = mapping[field as LogField];
  return mapped === undefined ? names.map((name) => [name]) : [[mapped], mapped.split(".")];
}

function at(line: Json, path: readonly string[]): unknown {
  let value: unknown = line;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
