import { type CsvError, type Parser, parse } from "csv-parse";
import { AppError } from "../core/errors";
import {
  CSV_OPTIONS,
  type CsvRecord,
  createKeyLines,
  delimiterOf,
  encodingOf,
  type ReadLine,
} from "../core/key-csv";

/** A head longer than this is none. */
const HEAD_BYTES = 8_192;

export type KeyCsvLine = Exclude<ReadLine, { kind: "nothing" }>;

/** Reads a list of keys as it comes. Throws `invalid`, with the file's own line, where it cannot be read on. */
export async function* readKeyCsv(bytes: AsyncIterable<Buffer>): AsyncGenerator<KeyCsvLine> {
  const texts = decoded(bytes);
  let head = "";
  for (;;) {
    const { value, done } = await texts.next();
    head += value ?? "";
    if (done || /[\r\n]/.test(head) || head.length > HEAD_BYTES) break;
  }
  if (head.trim() === "") throw new AppError("invalid", "the file is empty");
  const parser = parse({ ...CSV_OPTIONS, delimiter: delimiterOf(head) });
  const lines = createKeyLines();
  try {
    for await (const record of recordsOf(parser, head, texts)) {
      const line = lines.take(record);
      if (line.kind !== "nothing") yield line;
    }
  } catch (error) {
    if (!isCsvError(error)) throw error;
    throw new AppError("invalid", `from line ${lines.line()} on this is no CSV: ${error.message}`, {
      cause: error,
    });
  } finally {
    parser.destroy();
  }
}

/**
 * Takes each piece's records right after it was written: a stream that fails throws away what nobody has read yet, and
 * an error must not cost the lines before it.
 */
async function* recordsOf(
  parser: Parser,
  head: string,
  texts: AsyncGenerator<string>,
): AsyncGenerator<CsvRecord> {
  let failure: Error | undefined;
  parser.on("error", (error) => {
    failure = error;
  });
  parser.write(head);
  yield* buffered(parser);
  for await (const text of texts) {
    if (failure !== undefined) throw failure;
    parser.write(text);
    yield* buffered(parser);
  }
  if (failure !== undefined) throw failure;
  parser.end();
  yield* parser as AsyncIterable<CsvRecord>;
}

function* buffered(parser: Parser): Generator<CsvRecord> {
  for (;;) {
    // What the parser gives with CSV_OPTIONS; its own types do not say.
    const record = parser.read() as CsvRecord | null;
    if (record === null) return;
    yield record;
  }
}

async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  const refuse = (cause: unknown) =>
    new AppError("invalid", "the file has bytes that are no UTF-8: save it as UTF-8", { cause });
  let start: Buffer = Buffer.alloc(0);
  for await (let piece of bytes) {
    let from = 0;
    if (decoder === undefined) {
      // A pipe may give a mark in pieces.
      piece = Buffer.concat([start, piece]);
      start = piece;
      if (piece.length < 3) continue;
      const { encoding, mark } = encodingOf(piece);
      decoder = new TextDecoder(encoding, { fatal: true });
      from = mark;
    }
    try {
      yield decoder.decode(piece.subarray(from), { stream: true });
    } catch (cause) {
      throw refuse(cause);
    }
  }
  try {
    yield decoder === undefined ? start.toString() : decoder.decode();
  } catch (cause) {
    throw refuse(cause);
  }
}

function isCsvError(error: unknown): error is CsvError {
  return error instanceof Error && "code" in error && !(error instanceof AppError);
}
