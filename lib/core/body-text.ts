/** Where something stands in a text's bytes: [from, to). */
export type Span = { from: number; to: number };

const SPACES = [0x20, 0x09, 0x0a, 0x0d];
const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const RULES = [...new TextEncoder().encode("rules")];

export { CLOSE_LIST, COMMA };

/** The first byte from `at` on that is no white space. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let next = at;
  while (SPACES.includes(bytes[next] ?? -1)) next += 1;
  return next;
}

/** After the `[` of the member `rules` of a JSON object; null where that is not the one plain thing it could be. */
export function findRules(bytes: Uint8Array): number | null {
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN_OBJECT) return null;
  do {
    const name = skipSpace(bytes, at + 1);
    const nameEnd = stringEnd(bytes, name);
    if (nameEnd === null) return null;
    // Written with escapes, a name may be `rules`, too.
    if (bytes.subarray(name, nameEnd).includes(BACKSLASH)) return null;
    const colon = skipSpace(bytes, nameEnd);
    if (bytes[colon] !== COLON) return null;
    const value = skipSpace(bytes, colon + 1);
    if (isRules(bytes, name, nameEnd)) return bytes[value] === OPEN_LIST ? value + 1 : null;
    const end = valueEnd(bytes, value);
    if (end === null) return null;
    at = skipSpace(bytes, end);
  } while (bytes[at] === COMMA);
  return null;
}

/** Whether `rules` is the name of a member once more, by whatever spelling: what follows the list is read with care. */
export function mayNameRules(text: string): boolean {
  return text.includes('"rules"') || text.includes("\\");
}

/** After the object that begins at `at`, whether or not its inside is JSON; null if none begins or ends. */
export function objectEnd(bytes: Uint8Array, at: number): number | null {
  return bytes[at] === OPEN_OBJECT ? valueEnd(bytes, at) : null;
}

/** Whether the bytes from `at` on begin with those of a span of other ones. */
export function startsWith(
  bytes: Uint8Array,
  at: number,
  other: Uint8Array,
  { from, to }: Span,
): boolean {
  const shift = at - from;
  if (to + shift > bytes.length) return false;
  for (let i = from; i < to; i += 1) if (bytes[i + shift] !== other[i]) return false;
  return true;
}

function isRules(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from === RULES.length + 2 && RULES.every((byte, i) => bytes[from + 1 + i] === byte);
}

function valueEnd(bytes: Uint8Array, at: number): number | null {
  let depth = 0;
  for (let i = at; i < bytes.length; i += 1) {
    switch (bytes[i]) {
      case QUOTE: {
        const end = stringEnd(bytes, i);
        if (end === null) return null;
        i = end - 1;
        if (depth === 0) return end;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_LIST:
        depth += 1;
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        // Of a number or a word: what it stands in ends.
        if (depth === 0) return i;
        depth -= 1;
        if (depth === 0) return i + 1;
        break;
      case COMMA:
        if (depth === 0) return i;
        break;
    }
  }
  return null;
}

function stringEnd(bytes: Uint8Array, at: number): number | null {
  if (bytes[at] !== QUOTE) return null;
  for (let i = at + 1; i < bytes.length; i += 1) {
    if (bytes[i] === BACKSLASH) i += 1;
    else if (bytes[i] === QUOTE) return i + 1;
  }
  return null;
}
