import { expect, test } from "vitest";
import { csvLine } from "./csv";

test.each([
  [
    '=HYPERLINK("https://evil.example.test","x")',
    `"'=HYPERLINK(""https://evil.example.test"",""x"")"`,
  ],
  ["+1", "'+1"],
  ["-2", "'-2"],
  ["@SUM(1)", "'@SUM(1)"],
  ["\t=1", "'\t=1"],
  ["'quoted", "''quoted"],
  ["＝1", "'＝1"],
  ['a"b,c\nd', '"a""b,c\nd"'],
  ["free\u202Eesirpretne", "free\u202Eesirpretne"],
  ["1-2", "1-2"],
  ["", ""],
])("%j is the cell %j", (text, cell) => {
  expect(csvLine([text])).toBe(`${cell}\r\n`);
});

test("a line has a comma between cells, and numbers as they are", () => {
  expect(csvLine([-1, null, "b"])).toBe("-1,,b\r\n");
});
