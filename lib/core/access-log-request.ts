import { parseIp } from "./ip";

const METHOD = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
const UNSENDABLE = /[^\x21-\x7e]/gu;
const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", v: "\v", f: "\f" };

export type Asked = { method: string; target: string };
export type BrokenRequest = "no-request" | "bad-method" | "bad-target";

/** A request line; its target keeps blanks that a client did not encode: the method is the first word, the protocol the last. */
export function parseRequestLine(request: string): Asked | { broken: BrokenRequest } {
  const text = request.trim();
  if (text === "" || text === "-") return { broken: "no-request" };
  const blank = text.indexOf(" ");
  const method = blank === -1 ? text : text.slice(0, blank);
  if (!METHOD.test(method)) return { broken: "bad-method" };
  if (blank === -1) return { broken: "no-request" };
  const protocol = /^(.*) HTTP\/\d(?:\.\d)?$/s.exec(text);
  return asked(method, (protocol?.[1] ?? text).slice(blank + 1).trim());
}

/** A method and what was asked for: a path or an http address, whose path is taken. */
export function asked(method: string, raw: string): Asked | { broken: BrokenRequest } {
  if (!METHOD.test(method)) return { broken: "bad-method" };
  const path = raw.replace(/^(?:https?|wss?):\/\/[^/?#]*/i, "");
  const isAbsolute = path !== raw;
  if (method === "OPTIONS" && raw === "*") return { method, target: "*" };
  if (!path.startsWith("/") && !isAbsolute) return { broken: "bad-target" };
  return { method, target: sendable(path.startsWith("/") ? path : `/${path}`) };
}

/** Percent-encodes only what may not stand in a request line, so that odd paths arrive as they were. */
function sendable(path: string): string {
  return path.replace(UNSENDABLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code <= 0xff) return `%${code.toString(16).toUpperCase().padStart(2, "0")}`;
    return code >= 0xd800 && code <= 0xdfff ? "%EF%BF%BD" : encodeURIComponent(character);
  });
}

/** Apache's and nginx's escapes: `\"`, `\\`, `\t`, `\x22` (one byte each). */
export function unescapeLog(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\(?:x([0-9A-Fa-f]{2})|(.))/gs, (_, hex?: string, character?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return ESCAPES[character ?? ""] ?? character ?? "";
  });
}

/** `198.51.100.7`, `198.51.100.7:51234`, `[2001:db8::1]:443` as a canonical address; null if it is none. */
export function loggedAddress(text: string): string | null {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text);
  const ported = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(text);
  return parseIp(bracketed?.[1] ?? ported?.[1] ?? text)?.toString() ?? null;
}

/** The first address of a list, and how many entries it has; null when none is an address. */
export function firstAddress(list: string): { client: string; addresses: number } | null {
  const entries = list.split(",").map((entry) => entry.trim());
  const listed = entries.filter((entry) => entry !== "");
  for (const entry of listed) {
    const client = loggedAddress(entry);
    if (client !== null) return { client, addresses: listed.length };
  }
  return null;
}
