/**
 * One line of RFC 4180, for spreadsheets: a cell that a spreadsheet would run as a formula begins with `'`, which it
 * then shows as text. `=`, `+`, `-`, `@`, their full-width forms, tab and line breaks begin one; so does `'` itself,
 * so that taking one `'` off in front of any of these gives the text back, one to one.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** What `csvLine` wrote into a cell, without the `'` that kept a spreadsheet from running it. */
export function textOfCell(cell: string): string {
  return /^'['=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell;
}

function csvCell(value: string | number | null): string {
  if (typeof value === "number") return String(value);
  const text = value ?? "";
  const safe = /^['=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
