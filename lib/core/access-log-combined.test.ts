import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAccessLogLine } from "./access-log";
import { createCombinedParser } from "./access-log-combined";

const part = (usual: string[], odd: string[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );

const line = fc
  .tuple(
    part(
      ["198.51.100.7", "198.18.0.255", "2001:db8::1"],
      [
        "2001:DB8:0::1",
        "198.51.100.07",
        "-",
        "host",
        "198.51.100.7, 10.0.0.1",
        "[2001:db8::1]:443",
        "::ffff:198.51.100.7",
        "www.test:443 198.51.100.7",
      ],
    ),
    part([" - - ["], [" - joe [", ' - "" [', " - [", "  - - [", " - - [[", " - [ - ["]),
    part(
      ["17/May/2015:10:05:03 +0000", "31/Dec/2016:23:59:60 -0330", "17/May/2015:10:05:04 +0200"],
      [
        "31/Feb/2016:10:05:03 +0000",
        "17/May/2015:24:05:03 +0000",
        "17/May/2015:10:05:03 +00:00",
        "17/may/2015:1a:05:03 +0000",
        "7/May/2015:10:05:03 +0000",
        "2015-05-17T10:05:03Z",
        "17/May/2015:10-05:03 +0000",
        "17/May/2015:10:05:03 +9900",
      ],
    ),
    part(['] "'], ['] ""', ']  "', "] ", '] "\\"']),
    part(["GET ", "POST ", "PURGE "], ["get ", "G\\x45T ", "", "- ", "GET  "]),
    part(
      ["/a", "/a?b=c&d", "/%7Ea/b", "*"],
      ["/a b", "/é", "/a\\x22b", '/a"b', "a", "", "http://a.test/b", "/a\tb"],
    ),
    part(
      [" HTTP/1.1", " HTTP/2", " HTTP/2.0"],
      ["", " HTTP/11", " http/1.1", " HTTP/1.1 HTTP/1.1", " HTTP/1.x"],
    ),
    part(
      ['" 200 17', '" 304 -'],
      ['" - -', '" 200', '" 2000 1', '"200 17', '" 200 17x', '"  200 17', '" 200 -1', '" 20a 1'],
    ),
    part(
      ["", ' "-" "Agent/1"', ' "http://a.test/" "A (b; c)"'],
      [
        "\r",
        ' "-"',
        ' "-" -',
        ' "a\\"b" "c"',
        ' "-" "c\\x22d"',
        ' "" ""',
        ' "-"  "x"',
        '"',
        ' "a" "b" "c" 0.1',
        " x",
      ],
    ),
  )
  .map((parts) => parts.join(""));

test("the short way reads a line as the long way does", () => {
  let read = 0;
  const parse = createCombinedParser();
  fc.assert(
    fc.property(line, (text) => {
      const long = parseAccessLogLine(text);
      expect(parse(text)).toEqual(long);
      if ("ok" in long) read += 1;
    }),
    { numRuns: 3_000 },
  );
  expect(read).toBeGreaterThan(500);
});

test("one character amiss anywhere is read as the long way does", () => {
  const parse = createCombinedParser();
  const usual =
    '198.51.100.7 - - [17/May/2015:10:05:03 +0000] "GET /a?b HTTP/1.1" 200 17 "-" "Agent/1"';
  for (let at = 0; at < usual.length; at += 1)
    for (const odd of ["", " ", '"', "\\", "-", "0", "z", "[", "]", "/", "\n", "\uFEFF", "é"]) {
      const text = usual.slice(0, at) + odd + usual.slice(at + 1);
      expect(parse(text), text).toEqual(parseAccessLogLine(text));
      const longer = usual.slice(0, at) + odd + usual.slice(at);
      expect(parse(longer), longer).toEqual(parseAccessLogLine(longer));
    }
});
