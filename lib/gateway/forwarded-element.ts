/** What a hop says of the request that it received; `node` is who sent it. */
export type ForwardedElement = { node: string; proto: string | null; host: string | null };

/**
 * Where the last element of text[0, end) starts; null when its quotes do not pair. Found from the right, as the
 * last hop wrote it: a quote that a client left open further left swallows nothing.
 */
export function startOfElement(text: string, end: number): number | null {
  for (let i = end - 1; i >= 0; i -= 1) {
    const character = text[i];
    if (character === ",") return i + 1;
    if (character !== '"') continue;
    i = openingQuote(text, i);
    if (i === -1) return null;
  }
  return 0;
}

function openingQuote(text: string, closing: number): number {
  let quote = text.lastIndexOf('"', closing - 1);
  while (closing > 0 && quote > 0) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    quote = text.lastIndexOf('"', quote - 1);
  }
  return closing > 0 ? quote : -1;
}

/** An address with colons should be quoted (RFC 7239 §4); many write it bare. */
const PAIR =
  /([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s";,=]*))[ \t]*(?:;[ \t]*|$)/y;
const PROTO = /^[a-z][a-z0-9+.-]{0,15}$/i;
const HOST = /^[A-Za-z0-9._:[\]-]{1,255}$/;

/** RFC 7239 §4; null if it is no element, names a parameter twice, or leaves out `for`. */
export function parseElement(text: string): ForwardedElement | null {
  const seen = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    if (text[at] === ";" || text[at] === " " || text[at] === "\t") {
      at += 1;
      continue;
    }
    PAIR.lastIndex = at;
    const pair = PAIR.exec(text);
    if (pair === null) return null;
    const [whole, name = "", quoted, bare = ""] = pair;
    const key = name.toLowerCase();
    if (seen.has(key)) return null;
    seen.set(key, quoted === undefined ? bare : quoted.replace(/\\(.)/g, "$1"));
    at += whole.length;
  }
  const node = seen.get("for");
  if (node === undefined) return null;
  return { node, proto: fitting(seen.get("proto"), PROTO), host: fitting(seen.get("host"), HOST) };
}

/** Our own element, for the next hop. */
export function elementOf({ node, proto, host }: ForwardedElement): string {
  const bracketed = node.includes(":") ? `"[${node}]"` : node;
  const parts = [`for=${bracketed}`];
  if (host !== null) parts.push(`host="${host.replace(/["\\]/g, "\\$&")}"`);
  if (proto !== null) parts.push(`proto=${proto}`);
  return parts.join(";");
}

function fitting(value: string | undefined, form: RegExp): string | null {
  return value !== undefined && form.test(value) ? value : null;
}
