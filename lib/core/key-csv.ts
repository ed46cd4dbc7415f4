import type { KeyImportLine } from "./api/key-import";
import { textOfCell } from "./csv";
import { AppError } from "./errors";
import { shown } from "./parse";

type Field = Exclude<keyof KeyImportLine, "line">;

/** Column names that are read, in any case and with blanks or hyphens for `_`. */
const FIELDS: Record<string, Field> = {
  key: "key",
  hash: "hash",
  hash_key_id: "hashKeyId",
  id: "id",
  customer: "customer",
  plan: "plan",
  name: "name",
};
/** Columns of Headgate's own export that an import has no use for. */
const PASSED_OVER = new Set(["prefix", "created_at", "last_used_at", "revoked_at"]);

export const DELIMITERS = [",", ";", "\t"] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** How these lists are read by csv-parse: any line end, so that the physical line can be counted from `raw`. */
export const CSV_OPTIONS = {
  raw: true,
  relax_column_count: true,
  trim: true,
  record_delimiter: ["\r\n", "\n", "\r"],
  max_record_size: 65_536,
};

export type CsvRecord = { record: string[]; raw: string };

/**
 * The encoding that a file's first bytes tell, and how many of them are its mark. Throws `invalid` for UTF-16 without
 * one: read as UTF-8 it would be a list of nothing.
 */
export function encodingOf(bytes: Uint8Array): {
  encoding: "utf-8" | "utf-16le" | "utf-16be";
  mark: number;
} {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: "utf-8", mark: 3 };
  if (a === 0xff && b === 0xfe) return { encoding: "utf-16le", mark: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: "utf-16be", mark: 2 };
  if (bytes.subarray(0, 200).includes(0))
    throw new AppError(
      "invalid",
      "the file must be UTF-8, or UTF-16 with a byte order mark, got bytes of zero: save it as UTF-8",
    );
  return { encoding: "utf-8", mark: 0 };
}

/** By the head, where no cell holds one of them. Throws `invalid` when no column is known. */
export function delimiterOf(text: string): Delimiter {
  const head = text.split(/\r\n|\n|\r/, 1)[0] ?? "";
  const known = (delimiter: Delimiter) =>
    head.split(delimiter).filter((name) => FIELDS[columnName(name)] !== undefined).length;
  const best = [...DELIMITERS].sort((a, b) => known(b) - known(a))[0] ?? ",";
  if (known(best) > 0) return best;
  throw new AppError(
    "invalid",
    `the first line must name the columns (${Object.keys(FIELDS).join(", ")}), separated by comma, semicolon or tab, got ${shown(head)}`,
  );
}

export type ReadLine =
  | { kind: "row"; row: KeyImportLine }
  | { kind: "refused"; line: number; message: string }
  | { kind: "nothing" };

/** Takes a list's records in their order: first the head, then a line a key. Counts the file's own lines. */
export function createKeyLines(): { take(record: CsvRecord): ReadLine; line(): number } {
  let next = 1;
  let columns: (Field | null)[] | null = null;

  function take({ record, raw }: CsvRecord): ReadLine {
    const line = next;
    next += raw.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (record.every((cell) => cell.trim() === "")) return { kind: "nothing" };
    if (columns === null) {
      columns = columnsOf(record);
      return { kind: "nothing" };
    }
    const beyond = record.slice(columns.length).filter((cell) => cell.trim() !== "");
    if (beyond.length > 0) {
      const message = `a line must have at most ${columns.length} cells as the first line has, got ${record.length}`;
      return { kind: "refused", line, message };
    }
    return { kind: "row", row: { line, ...cellsOf(columns, record) } };
  }

  return { take, line: () => next };
}

function cellsOf(columns: readonly (Field | null)[], record: readonly string[]) {
  const cells: Partial<Record<Field, string>> = {};
  for (const [i, field] of columns.entries()) {
    const text = (record[i] ?? "").trim();
    if (field === null || text === "") continue;
    // A key is what it is; whatever else an export wrote safe for spreadsheets is taken back.
    cells[field] = field === "key" ? text : textOfCell(text);
  }
  return cells;
}

function columnsOf(head: readonly string[]): (Field | null)[] {
  const names = head.map(columnName);
  // A comma at the end of each line makes a column without a name.
  while (names.at(-1) === "") names.pop();
  const unknown = names.filter((name) => FIELDS[name] === undefined && !PASSED_OVER.has(name));
  if (unknown.length > 0)
    throw new AppError(
      "invalid",
      `a column must be one of ${Object.keys(FIELDS).join(", ")}, got ${unknown.map((name) => shown(name)).join(", ")}`,
    );
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new AppError("invalid", `each column may be there once, got ${twice} twice`);
  const fields = names.map((name) => FIELDS[name] ?? null);
  if (!fields.some((field) => field === "key" || field === "hash" || field === "id"))
    throw new AppError(
      "invalid",
      `one column must be key, hash or id, got ${names.join(", ")}: without it nobody knows whose line it is`,
    );
  return fields;
}

function columnName(text: string): string {
  return text
    .trim()
    .replace(/^"(.*)"$/s, "$1")
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
}
