import {
  type DirectoryEnd,
  DirectoryEndSchema,
  type DirectoryHead,
  DirectoryHeadSchema,
} from "./directory";
import { AppError } from "./errors";

/** CRC-32 of what came before and these bytes; given, as the quick one is the platform's. */
export type Checksum = (bytes: Uint8Array, before: number) => number;

const NEWLINE = 10;
const BRACE = 123;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** What is counted of the chunks between a document's first line and its end. */
export function createDocumentEnd(checksum: Checksum) {
  const end = { bytes: 0, crc32: 0 };
  return {
    add: (chunk: Uint8Array) => {
      end.bytes += chunk.length;
      end.crc32 = checksum(chunk, end.crc32);
    },
    line: () => lineOf({ end } satisfies DirectoryEnd),
    matches: (told: DirectoryEnd["end"]) => told.bytes === end.bytes && told.crc32 === end.crc32,
  };
}

export function headLine(head: DirectoryHead): Uint8Array {
  return lineOf(head);
}

/** The document's bytes: its head, the chunks, its end. */
export function* documentOf(
  head: DirectoryHead,
  chunks: Iterable<Uint8Array>,
  checksum: Checksum,
): Generator<Uint8Array> {
  const end = createDocumentEnd(checksum);
  yield headLine(head);
  for (const chunk of chunks) {
    end.add(chunk);
    yield chunk;
  }
  yield end.line();
}

export type DocumentReader = {
  head(head: DirectoryHead): void;
  /** Whole lines. */
  chunk(bytes: Uint8Array): void;
  /** What follows the end, line by line; false: nothing more is wanted. */
  after(line: string): boolean;
};

/**
 * Takes a document in whatever pieces it comes. `push` throws `unavailable` at what is none; `isWhole` after the
 * last piece says whether its end came and was right.
 */
export function createDocumentParser(reader: DocumentReader, checksum: Checksum) {
  let stage: "head" | "base" | "after" | "stopped" = "head";
  let rest: Uint8Array = new Uint8Array();
  const end = createDocumentEnd(checksum);

  function takeLine(bytes: Uint8Array): { text: string; left: Uint8Array } {
    const at = bytes.indexOf(NEWLINE);
    return { text: decoder.decode(bytes.subarray(0, at)), left: bytes.subarray(at + 1) };
  }

  /** Whole lines only. Gives back what the next stage is to read. */
  function take(bytes: Uint8Array): Uint8Array {
    switch (stage) {
      case "head": {
        const { text, left } = takeLine(bytes);
        reader.head(parsed(DirectoryHeadSchema, text, "head"));
        stage = "base";
        return left;
      }
      case "base": {
        const endAt = startOfEnd(bytes);
        const chunk = bytes.subarray(0, endAt);
        end.add(chunk);
        if (chunk.length > 0) reader.chunk(chunk);
        if (endAt === bytes.length) return bytes.subarray(endAt);
        const { text, left } = takeLine(bytes.subarray(endAt));
        if (!end.matches(parsed(DirectoryEndSchema, text, "end").end))
          throw new AppError("unavailable", "the directory is damaged: its checksum is another");
        stage = "after";
        return left;
      }
      case "after": {
        const { text, left } = takeLine(bytes);
        if (!reader.after(text)) stage = "stopped";
        return left;
      }
      case "stopped":
        return new Uint8Array();
    }
  }

  return {
    push: (piece: Uint8Array) => {
      const bytes = rest.length === 0 ? piece : joined(rest, piece);
      const to = bytes.lastIndexOf(NEWLINE) + 1;
      // A copy: the piece may be written over once it was taken.
      rest = bytes.slice(to);
      let left = bytes.subarray(0, to);
      while (left.length > 0) left = take(left);
    },
    isWhole: () => stage === "after" || stage === "stopped",
  };
}

function lineOf(json: DirectoryHead | DirectoryEnd): Uint8Array {
  return encoder.encode(`${JSON.stringify(json)}\n`);
}

/** Where the line that ends the base starts: the first with a brace. */
function startOfEnd(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] === BRACE) return at;
    const brace = bytes.indexOf(BRACE, at);
    if (brace < 0) return bytes.length;
    if (bytes[brace - 1] === NEWLINE) return brace;
    at = bytes.indexOf(NEWLINE, brace) + 1;
  }
  return bytes.length;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function parsed<T>(
  schema: { safeParse(json: unknown): { success: boolean; data?: T | undefined } },
  text: string,
  what: string,
): T {
  const result = schema.safeParse(jsonOf(text));
  if (result.success && result.data !== undefined) return result.data;
  throw new AppError("unavailable", `the directory's ${what} is in another form than is known`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
