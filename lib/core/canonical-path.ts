export type CanonicalPathOptions = {
  /** Paths that differ only in ASCII case are one path. */
  caseInsensitive?: boolean;
};

/**
 * The one spelling of a request target's path, for matching and counting; the original is what is forwarded.
 * No scheme, host, query or fragment; dots resolved, then `//` merged (also a leading one), trailing slash off;
 * needless escapes decoded, needed ones upper-cased, bad ones (`%zz`) kept as they are. `%2F` and `;` are
 * ordinary characters of a segment: `/a%2Fb` and `/a;b=c` are other paths than `/a/b` and `/a`. Never throws.
 */
export function canonicalPath(rawTarget: string, options: CanonicalPathOptions = {}): string {
  const caseInsensitive = options.caseInsensitive === true;
  const end = cleanLength(rawTarget, caseInsensitive);
  if (end > 0) return end === rawTarget.length ? rawTarget : rawTarget.slice(0, end);
  if (rawTarget === "*") return rawTarget;
  return join(resolve(respell(pathOf(rawTarget), caseInsensitive)));
}

const SLASH = 0x2f;
const DOT = 0x2e;
const PERCENT = 0x25;

/** RFC 3986 pchar and `/`, by character code: what stands in a path for itself. */
const PLAIN: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9\-._~!$&'()*+,;=:@/]/.test(String.fromCharCode(code)),
);

/** Length of the path if it is in canonical form already, else 0. */
function cleanLength(target: string, caseInsensitive: boolean): number {
  if (target.charCodeAt(0) !== SLASH) return 0;
  let before = SLASH;
  let at = 1;
  for (; at < target.length; at += 1) {
    const code = target.charCodeAt(at);
    if (code === 0x3f || code === 0x23) break;
    if (PLAIN[code] !== true) return 0;
    if (before === SLASH && (code === SLASH || code === DOT)) return 0;
    if (caseInsensitive && code >= 0x41 && code <= 0x5a) return 0;
    before = code;
  }
  return at > 1 && before === SLASH ? 0 : at;
}

/** The raw path of a target in origin form (`/a?b`) or absolute form (`http://host/a?b`). */
function pathOf(target: string): string {
  const path = target.replace(/[?#].*$/s, "");
  return path.startsWith("/") ? path : path.replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]*/, "");
}

/** Every character in its one spelling. A backslash is a slash, as in the URL parsers of many upstreams. */
function respell(path: string, caseInsensitive: boolean): string {
  let out = "";
  for (let at = 0; at < path.length; at += 1) {
    let code = path.charCodeAt(at);
    if (code === PERCENT) {
      const byte = escapedByte(path, at);
      if (byte === -1) {
        out += "%";
        continue;
      }
      at += 2;
      if (!isNeedlesslyEscaped(byte)) {
        out += percent(byte);
        continue;
      }
      code = byte;
    }
    if (caseInsensitive && code >= 0x41 && code <= 0x5a) code += 0x20;
    if (code === 0x5c) out += "/";
    else if (PLAIN[code] === true) out += String.fromCharCode(code);
    else if (code <= 0xff) out += percent(code);
    else {
      out += utf8Escapes(path.codePointAt(at) ?? code);
      if (code >= 0xd800 && code <= 0xdbff && (path.codePointAt(at) ?? 0) > 0xffff) at += 1;
    }
  }
  return out;
}

function isNeedlesslyEscaped(byte: number): boolean {
  return PLAIN[byte] === true && byte !== SLASH && byte !== 0x3b;
}

function escapedByte(text: string, at: number): number {
  const high = hexValue(text.charCodeAt(at + 1));
  const low = hexValue(text.charCodeAt(at + 2));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

/** A character that no socket can send as one byte: from a pattern or a test. A lone surrogate becomes U+FFFD. */
function utf8Escapes(point: number): string {
  const isSurrogate = point >= 0xd800 && point <= 0xdfff;
  return encodeURIComponent(String.fromCodePoint(isSurrogate ? 0xfffd : point));
}

/** RFC 3986 §5.2.4, empty segments being segments: `/a//../b` is `/a/b`. */
function resolve(path: string): string[] {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== ".") segments.push(segment);
  }
  return segments;
}

function join(segments: readonly string[]): string {
  let path = "";
  for (const segment of segments) if (segment !== "") path += `/${segment}`;
  return path === "" ? "/" : path;
}
