import { AppError } from "@/lib/core/errors";
import {
  CSV_OPTIONS,
  type CsvRecord,
  createKeyLines,
  delimiterOf,
  encodingOf,
  type ReadLine,
} from "@/lib/core/key-csv";

/** Read as one text: a larger list is for the command line, which reads it as it comes. */
const FILE_MAX_MB = 32;

export type KeyFileLine = Exclude<ReadLine, { kind: "nothing" }>;

/** What became of reading a file: its lines, and why it ends before its end. */
export type KeyFile = { lines: KeyFileLine[]; stopped: string | null };

/** Throws `invalid` where nothing of the file can be read. */
export async function readKeyFile(file: File): Promise<KeyFile> {
  if (file.size > FILE_MAX_MB * 1024 * 1024)
    throw new AppError(
      "invalid",
      `a file may have at most ${FILE_MAX_MB} MB here, got ${Math.ceil(file.size / 1024 / 1024)}: npm run headgate -- keys import FILE takes any`,
    );
  const text = decoded(new Uint8Array(await file.arrayBuffer()));
  if (text.trim() === "") throw new AppError("invalid", "the file is empty");
  const delimiter = delimiterOf(text);
  const { parse } = await import("csv-parse/browser/esm/sync");
  const reader = createKeyLines();
  const lines: KeyFileLine[] = [];
  let stopped: string | null = null;
  try {
    parse(text, {
      ...CSV_OPTIONS,
      delimiter,
      // As they come: an error must not cost the lines before it.
      on_record: (record) => {
        const line = reader.take(withRaw(record));
        if (line.kind !== "nothing") lines.push(line);
        return null;
      },
    });
  } catch (error) {
    if (error instanceof AppError || !(error instanceof Error)) throw error;
    stopped = `from line ${reader.line()} on this is no CSV: ${error.message}`;
  }
  if (lines.length === 0 && stopped === null)
    stopped = "the file has no line but its head: nothing was imported";
  return { lines, stopped };
}

/** With `raw` a record comes with its text, which csv-parse's types do not say. */
function withRaw(record: unknown): CsvRecord {
  return record as CsvRecord;
}

function decoded(bytes: Uint8Array): string {
  const { encoding, mark } = encodingOf(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes.subarray(mark));
  } catch (cause) {
    throw new AppError("invalid", "the file has bytes that are no UTF-8: save it as UTF-8", {
      cause,
    });
  }
}
