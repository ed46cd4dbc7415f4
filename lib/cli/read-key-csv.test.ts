import { expect, test } from "vitest";
import { csvLine } from "../core/csv";
import { AppError } from "../core/errors";
import { type KeyCsvLine, readKeyCsv } from "./read-key-csv";

const KEY = "sk_live_0123456789abcdef";

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(input: string | Buffer, size = 5): Promise<KeyCsvLine[]> {
  const lines: KeyCsvLine[] = [];
  for await (const line of readKeyCsv(pieces(Buffer.from(input), size))) lines.push(line);
  return lines;
}

const row = (line: number, cells: object) => ({ kind: "row", row: { line, ...cells } });
const acme = row(2, { key: KEY, customer: "acme", plan: "paid" });

test.each([
  ["plain", `key,customer,plan\n${KEY},acme,paid\n`],
  ["with a byte order mark", `\uFEFFkey,customer,plan\n${KEY},acme,paid\n`],
  ["CRLF", `key,customer,plan\r\n${KEY},acme,paid\r\n`],
  ["CR alone", `key,customer,plan\r${KEY},acme,paid\r`],
  ["semicolons", `key;customer;plan\n${KEY};acme;paid\n`],
  ["tabs", `key\tcustomer\tplan\n${KEY}\tacme\tpaid\n`],
  ["no last line end", `key,customer,plan\n${KEY},acme,paid`],
  ["a comma at the end of lines", `key,customer,plan,\n${KEY},acme,paid,\n`],
  ["blanks and quotes", `Key , "Customer",PLAN\n${KEY}, acme ,"paid "\n`],
  ["UTF-16LE", Buffer.from(`\uFEFFkey,customer,plan\n${KEY},acme,paid\n`, "utf16le")],
  ["UTF-16BE", Buffer.from(`\uFEFFkey,customer,plan\n${KEY},acme,paid\n`, "utf16le").swap16()],
])("a list is read: %s", async (_, input) => {
  for (const size of [1, 5, 10_000]) expect(await read(input, size)).toEqual([acme]);
});

test("a line is the file's own, also behind fields with line breaks and empty lines", async () => {
  const text = `key,name\r\n\r\n${KEY},"two\r\nlines"\r\n\n${KEY}a,"a ""b"", c"\n,\n${KEY}b,x,too much\n${KEY}c,y`;
  expect(await read(text)).toEqual([
    row(3, { key: KEY, name: "two\r\nlines" }),
    row(6, { key: `${KEY}a`, name: 'a "b", c' }),
    { kind: "refused", line: 8, message: expect.stringContaining("at most 2 cells") },
    row(9, { key: `${KEY}c`, name: "y" }),
  ]);
});

test("what the export wrote safe for spreadsheets is read as it was", async () => {
  const names = [
    '=HYPERLINK("https://evil.example.test","x")',
    "+1",
    "-2",
    "@SUM(1)",
    "'quoted",
    "＝1",
    'a"b,c',
  ];
  const text = `\uFEFF${csvLine(["id", "name", "prefix", "created_at"])}${names.map((name, i) => csvLine([`k${i}`, name, "hg_1", "2026"])).join("")}`;
  const lines = await read(text);
  expect(lines).toEqual(names.map((name, i) => row(i + 2, { id: `k${i}`, name })));
});

test.each([
  ["nothing", "", "the file is empty"],
  ["no head that is known", "a,b\n1,2\n", "the first line must name the columns"],
  ["an unknown column", "key,tier\nx,y\n", 'got "tier"'],
  ["a column twice", "key,plan,plan\nx,y,z\n", "got plan twice"],
  ["nothing that tells a key", "customer,plan\nacme,free\n", "one column must be key, hash or id"],
  ["UTF-16 without a mark", Buffer.from("key,plan\nx,y\n", "utf16le"), "byte order mark"],
  ["bytes of Latin-1", Buffer.from("key,name\nx,M\xfcller\n", "latin1"), "no UTF-8"],
  [
    "a quote that never ends",
    `key,name\n${KEY},a\n${KEY}b,"x\ny\n`,
    "from line 3 on this is no CSV",
  ],
])("%s is refused by name", async (_, input, reason) => {
  const failure = await read(input).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AppError);
  expect((failure as AppError).message).toContain(reason);
});

test("a list much larger than a stream's buffer arrives whole, whatever is done meanwhile", async () => {
  const count = 30_000;
  const text = `key,customer\n${Array.from({ length: count }, (_, i) => `${KEY}${i},c${i}`).join("\n")}\n`;
  let last = 0;
  let seen = 0;
  for await (const line of readKeyCsv(pieces(Buffer.from(text), 65_536))) {
    seen += 1;
    if (line.kind === "row") last = line.row.line;
    if (seen % 5_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect([seen, last]).toEqual([count, count + 1]);
});
