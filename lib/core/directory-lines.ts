import { z } from "zod";
import { type DirectoryEntry, DirectoryEntrySchema } from "./directory";
import { AppError } from "./errors";

/**
 * A directory's base as it is kept and sent: lines of ASCII, cut into chunks at their ends. Read without making a
 * text of each, as there may be millions.
 *
 *     c <customer> <plan>
 *     k <fingerprint> <key id> [<customer>, when it is not the key id] [@<epoch ms when it ends>]
 *     o <override as JSON>
 */
export const CHUNK_BYTES = 256 * 1024;

/**
 * 96 bits of the key's keyed hash are all that a gateway knows of it. Of 2,000,000 keys any two fall together with
 * 2^-55; a made-up key is taken for a known one with 2^-75.
 */
export const FINGERPRINT_HEX = 24;

type Line = Extract<DirectoryEntry, { removed?: boolean | undefined }>;

/** Chunks of whole lines. Entries that remove have no line. */
export function* linesOf(entries: Iterable<Line>, chunkBytes = CHUNK_BYTES): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = "";
  for (const entry of entries) {
    if (entry.removed === true) continue;
    text += lineOf(entry);
    if (text.length < chunkBytes) continue;
    yield encoder.encode(text);
    text = "";
  }
  if (text !== "") yield encoder.encode(text);
}

function lineOf(entry: Line): string {
  switch (entry.type) {
    case "customer":
      return `c ${entry.id} ${entry.plan}\n`;
    case "key": {
      const customer = entry.customer === entry.id ? "" : ` ${entry.customer}`;
      const end = entry.expiresAtMs === undefined ? "" : ` @${entry.expiresAtMs}`;
      return `k ${entry.hash.slice(0, FINGERPRINT_HEX)} ${entry.id}${customer}${end}\n`;
    }
    case "override": {
      const { removed: _, type: __, ...override } = entry;
      return `o ${JSON.stringify(override)}\n`;
    }
  }
}

/** A piece of a chunk: a name's bytes are at [from, to). */
export type Span = { from: number; to: number };

export type LineReader = {
  customer(bytes: Uint8Array, id: Span, plan: Span): void;
  /** `words` are the fingerprint's three numbers of 32 bits, signed: others would be objects. All spans are used again for the next line. */
  key(
    bytes: Uint8Array,
    words: Int32Array,
    id: Span,
    customer: Span,
    expiresAtMs: number | null,
  ): void;
  override(override: Extract<DirectoryEntry, { type: "override" }>): void;
};

const NEWLINE = 10;
const BLANK = 32;
const AT = 64;
const NAME_MAX = 63;
const OverrideLineSchema = z.unknown().pipe(DirectoryEntrySchema);

const HEX = new Int8Array(256).fill(-1);
for (let i = 0; i < 16; i += 1) HEX["0123456789abcdef".charCodeAt(i)] = i;
const NAME = new Uint8Array(256);
for (const letter of "abcdefghijklmnopqrstuvwxyz0123456789-") NAME[letter.charCodeAt(0)] = 1;

/** Reads a chunk's lines in their order. Throws `unavailable` at the first that is none; what came before was read. */
export function readLines(bytes: Uint8Array, reader: LineReader): void {
  const words = new Int32Array(3);
  const first = { from: 0, to: 0 };
  const second = { from: 0, to: 0 };
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf(NEWLINE, at);
    const kind = bytes[at];
    if (end < 0 || bytes[at + 1] !== BLANK) throw badLine(bytes, at, end);
    if (kind === 99) {
      readName(bytes, first, at + 2, end);
      readName(bytes, second, first.to + 1, end);
      if (bytes[first.to] !== BLANK || second.to !== end) throw badLine(bytes, at, end);
      reader.customer(bytes, first, second);
    } else if (kind === 107) {
      const hashEnd = readFingerprint(bytes, words, at + 2);
      if (hashEnd < 0 || bytes[hashEnd] !== BLANK) throw badLine(bytes, at, end);
      readName(bytes, first, hashEnd + 1, end);
      let to = first.to;
      let customer = first;
      if (bytes[to] === BLANK && bytes[to + 1] !== AT) {
        readName(bytes, second, to + 1, end);
        to = second.to;
        customer = second;
      }
      let expiresAtMs: number | null = null;
      if (bytes[to] === BLANK) {
        expiresAtMs = Number(textOf(bytes, to + 2, end));
        if (bytes[to + 1] !== AT || !Number.isSafeInteger(expiresAtMs) || expiresAtMs < 0)
          throw badLine(bytes, at, end);
        to = end;
      }
      if (to !== end) throw badLine(bytes, at, end);
      reader.key(bytes, words, first, customer, expiresAtMs);
    } else if (kind === 111) {
      reader.override(overrideOf(bytes, at, end));
    } else throw badLine(bytes, at, end);
    at = end + 1;
  }
}

function readName(bytes: Uint8Array, span: Span, from: number, end: number): void {
  let to = from;
  while (to < end && NAME[bytes[to] ?? 0] === 1) to += 1;
  if (to === from || to - from > NAME_MAX) throw badLine(bytes, from, end);
  span.from = from;
  span.to = to;
}

/** Where it ends; -1 when it is none. */
function readFingerprint(bytes: Uint8Array, words: Int32Array, from: number): number {
  let at = from;
  for (let word = 0; word < 3; word += 1) {
    let value = 0;
    for (const to = at + 8; at < to; at += 1) {
      const digit = HEX[bytes[at] ?? 0] ?? -1;
      if (digit < 0) return -1;
      value = (value << 4) | digit;
    }
    words[word] = value;
  }
  return at;
}

function overrideOf(bytes: Uint8Array, at: number, end: number) {
  let json: unknown;
  try {
    json = JSON.parse(textOf(bytes, at + 2, end));
  } catch (error) {
    if (error instanceof SyntaxError) throw badLine(bytes, at, end);
    throw error;
  }
  const fields = typeof json === "object" ? json : {};
  const override = OverrideLineSchema.safeParse({ type: "override", ...fields });
  if (!override.success || override.data.type !== "override") throw badLine(bytes, at, end);
  return override.data;
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  return new TextDecoder().decode(bytes.subarray(from, to));
}

function badLine(bytes: Uint8Array, at: number, end: number): AppError {
  const to = end < 0 ? bytes.length : end;
  // Its first letters only: the rest is part of a hash.
  const shown = JSON.stringify(textOf(bytes, at, Math.min(to, at + 6)));
  return new AppError(
    "unavailable",
    `a line of the directory must be a customer, key or override of at most ${CHUNK_BYTES} bytes, got one that starts ${shown}`,
  );
}
