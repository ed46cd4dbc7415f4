import { type AccessLogLine, LINE_LENGTH_MAX } from "./access-log";
import { loggedAddress, parseRequestLine } from "./access-log-request";
import { dateTimeInstant } from "./access-log-time";

/** Positions of an Application Load Balancer's fields (AWS, "Access log entries"). */
const ENDED = 1;
const CLIENT = 3;
const STATUS = 8;
const SENT = 11;
const REQUEST = 12;
const USER_AGENT = 13;
/** When the balancer received the request; lines of older formats end before it. */
const CREATED = 21;
const FIELD = /"((?:[^"\\]|\\.)*)"|(\S+)/g;

/** What every line begins with: the kind of connection, then the time. */
export const ALB_HEAD = /^(?:https?|h2|grpcs|wss?) \d{4}-\d{2}-\d{2}T/;

/** A line of an AWS Application Load Balancer. Its time is when the request was received, else when it was answered. */
export function parseAlbLine(text: string): AccessLogLine {
  if (text.length > LINE_LENGTH_MAX) return { broken: "too-long" };
  const line = text.replace(/^\uFEFF/, "").trim();
  if (line === "") return { broken: "blank" };
  const fields = Array.from(line.matchAll(FIELD), ([, quoted, bare]) => quoted ?? bare ?? "");
  if (!ALB_HEAD.test(line) || fields.length <= USER_AGENT) return { broken: "not-alb" };
  const field = (at: number) => fields[at] ?? "-";
  const atMs = dateTimeInstant(field(CREATED)) ?? dateTimeInstant(field(ENDED));
  if (atMs === null) return { broken: "bad-time" };
  if (field(CLIENT) === "-") return { broken: "no-client" };
  const client = clientOf(field(CLIENT));
  if (client === null) return { broken: "client-not-address" };
  const request = parseRequestLine(unescapeQuotes(field(REQUEST)));
  if ("broken" in request) return request;
  const userAgent = unescapeQuotes(field(USER_AGENT));
  return {
    ok: {
      client,
      addresses: 1,
      user: null,
      atMs,
      ...request,
      status: wholeOf(field(STATUS)),
      bytes: wholeOf(field(SENT)),
      referrer: null,
      userAgent: userAgent === "-" || userAgent === "" ? null : userAgent,
      key: null,
    },
  };
}

/** `address:port`, IPv6 with or without brackets. */
function clientOf(text: string): string | null {
  const colon = text.lastIndexOf(":");
  const host = colon === -1 ? text : text.slice(0, colon);
  return loggedAddress(host) ?? loggedAddress(text);
}

function unescapeQuotes(text: string): string {
  return text.replace(/\\(["\\])/g, "$1");
}

function wholeOf(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
