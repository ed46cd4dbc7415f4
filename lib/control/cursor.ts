import { AppError } from "@/lib/core/errors";

/** Where a page ended, as an opaque text. */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

/** Throws `invalid` for anything that `encodeCursor` did not make with these many parts. */
export function decodeCursor(cursor: string, length: number): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(parts) && parts.length === length) return parts.map(String);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const message = "cursor must be the next of an earlier answer";
  throw new AppError("invalid", message, { errors: [{ path: "cursor", message }] });
}

/** Splits the one row too many off, which tells that there is a further page. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => readonly (string | number)[],
): { rows: Row[]; next?: string } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  if (rows.length <= limit || last === undefined) return { rows: page };
  return { rows: page, next: encodeCursor(cursorOf(last)) };
}

/** A moment from a cursor's part; `invalid` if it is none. */
export function cursorDate(part: string | undefined): Date {
  const date = new Date(Number(part));
  if (!Number.isNaN(date.getTime())) return date;
  throw new AppError("invalid", "cursor must be the next of an earlier answer");
}
