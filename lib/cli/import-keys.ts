import { createReadStream } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { loadCliConfig } from "../config/config";
import {
  IMPORT_ROWS_MAX,
  KeyImportAnswerSchema,
  type KeyImportLine,
  type KeyImportResult,
} from "../core/api/key-import";
import { csvLine } from "../core/csv";
import { AppError } from "../core/errors";
import { type ApiClient, createApiClient } from "./api-client";
import { textOption } from "./arguments";
import { type Command, EXIT, type Io, print, UsageError } from "./command";
import { createProgress } from "./progress";
import { readKeyCsv } from "./read-key-csv";
import { counted, thousands, visible } from "./table";

/** Of refused lines on the terminal; a report has them all. */
const SHOWN_MAX = 20;

export const importKeysCommand: Command = {
  name: "keys import",
  usage: "keys import FILE [--dry-run] [--move-plans] [--report FILE] [--json]",
  summary: "Take a list of keys from a CSV file, or - for standard input.",
  help: `  FILE           CSV whose first line names the columns: key or hash or id, and customer,
                 plan, name; separated by comma, semicolon or tab, in UTF-8 or UTF-16
  --dry-run      only say what would be done
  --move-plans   move a customer who is on another plan than the list says
  --report FILE  write what became of each line, as CSV
  --json         print the counts as one JSON object

A key is hashed by the console as it arrives; its text is stored nowhere. Lines that are
wrong are left out and said, the others are taken. Importing again changes nothing.
Exit code 1 when a line was refused.`,
  options: {
    "dry-run": { type: "boolean" },
    "move-plans": { type: "boolean" },
    report: { type: "string" },
    json: { type: "boolean" },
  },
  async run({ values, positionals, io }) {
    const [file, ...more] = positionals;
    if (file === undefined) throw new UsageError("FILE is missing: a CSV file, or -");
    if (more.length > 0) throw new UsageError(`takes one FILE, got ${positionals.length}`);
    const call = createApiClient(loadCliConfig(io.env), io.signal);
    const dryRun = values["dry-run"] === true;
    const options = { dryRun, movePlans: values["move-plans"] === true };
    const source = await openSource(file, io);
    const done = await importAll({ call, source, options, io });
    const report = textOption(values, "report");
    if (report !== undefined) await writeFile(report, reportOf(done.results));
    if (values.json === true)
      print(io.stdout, JSON.stringify({ ...done.counts, stopped: done.stopped }));
    else tell(io, done, { dryRun, report });
    return done.counts.refused > 0 || done.stopped !== null ? EXIT.failed : EXIT.done;
  },
};

type Source = { bytes: AsyncIterable<Buffer>; size: number | null; read(): number };

async function openSource(file: string, { stdin }: Io): Promise<Source> {
  let read = 0;
  async function* counting(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of stream) {
      read += piece.length;
      yield piece;
    }
  }
  if (file === "-") return { bytes: counting(stdin), size: null, read: () => read };
  try {
    const { size } = await stat(file);
    return { bytes: counting(createReadStream(file)), size, read: () => read };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`FILE cannot be read: ${why}`);
  }
}

type Done = {
  results: KeyImportResult[];
  counts: Record<KeyImportResult["outcome"], number>;
  /** Why the file was not read to its end. */
  stopped: string | null;
};

type Import = {
  call: ApiClient;
  source: Source;
  options: { dryRun: boolean; movePlans: boolean };
  io: Io;
};

async function importAll({ call, source, options, io }: Import): Promise<Done> {
  const done: Done = {
    results: [],
    counts: { made: 0, changed: 0, same: 0, refused: 0 },
    stopped: null,
  };
  const add = (result: KeyImportResult) => {
    done.counts[result.outcome] += 1;
    done.results.push(result);
  };
  const send = async (rows: KeyImportLine[]) => {
    if (rows.length === 0) return;
    const body = { rows, ...options };
    const answer = await call({
      method: "POST",
      path: "/keys/import",
      body,
      answer: KeyImportAnswerSchema,
    });
    for (const result of answer.results) add(result);
  };
  const progress = createProgress(io.stderr, io.columns, () => ({
    share: source.size === null ? null : source.read() / Math.max(1, source.size),
    sent: done.results.length,
    tail: `${thousands(done.counts.refused)} refused`,
  }));
  try {
    let rows: KeyImportLine[] = [];
    for await (const line of readKeyCsv(source.bytes)) {
      if (line.kind === "refused")
        add({ line: line.line, outcome: "refused", message: line.message });
      else rows.push(line.row);
      if (rows.length < IMPORT_ROWS_MAX) continue;
      await send(rows);
      rows = [];
    }
    await send(rows);
  } catch (error) {
    // What was taken stays: the report says how far it came.
    if (!(error instanceof AppError)) throw error;
    done.stopped = error.message;
  } finally {
    progress.stop();
  }
  if (done.stopped === null && done.results.length === 0)
    done.stopped = "the file has no line but its head: nothing was imported";
  return done;
}

function tell(
  { stdout, stderr }: Io,
  { results, counts, stopped }: Done,
  { dryRun, report }: { dryRun: boolean; report: string | undefined },
): void {
  const refused = results.filter(({ outcome }) => outcome === "refused");
  for (const { line, message = "" } of refused.slice(0, SHOWN_MAX))
    print(stderr, `line ${line}: ${visible(message)}`);
  if (refused.length > SHOWN_MAX)
    print(
      stderr,
      `and ${thousands(refused.length - SHOWN_MAX)} more${report === undefined ? ": --report FILE has them all" : ""}`,
    );
  if (stopped !== null) print(stderr, visible(stopped));
  const { made, changed, same } = counts;
  const isNothing = made + changed === 0 && same > 0 && refused.length === 0 && stopped === null;
  const what = dryRun ? "would be made" : "made";
  print(
    stdout,
    isNothing
      ? `nothing to do: all ${counted(same, "line")} are as they should be`
      : `${counted(made, "key")} ${what}, ${thousands(changed)} changed, ${thousands(same)} as they were, ${thousands(refused.length)} refused`,
  );
}

function reportOf(results: readonly KeyImportResult[]): string {
  const lines = results.map(({ line, outcome, id, message }) =>
    csvLine([line, outcome, id ?? "", message ?? ""]),
  );
  return `\uFEFF${csvLine(["line", "outcome", "id", "message"])}${lines.join("")}`;
}
