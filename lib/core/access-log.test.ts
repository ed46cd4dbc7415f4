import { expect, test } from "vitest";
import { type AccessLogEntry, type BrokenReason, parseAccessLogLine } from "./access-log";

const plain =
  '198.51.100.7 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 17 "-" "Agent/1"';
const entry: AccessLogEntry = {
  client: "198.51.100.7",
  addresses: 1,
  user: null,
  atMs: Date.UTC(2015, 4, 17, 10, 5, 3),
  method: "GET",
  target: "/a",
  status: 200,
  bytes: 17,
  referrer: null,
  userAgent: "Agent/1",
  key: null,
};

const read: [what: string, line: string, expected: Partial<AccessLogEntry>][] = [
  ["a combined line", plain, entry],
  ["a common line", plain.replace(' "-" "Agent/1"', ""), { ...entry, userAgent: null }],
  ["a carriage return and a byte order mark", `\uFEFF${plain}\r`, entry],
  ["an extra quote before", `"${plain}`, entry],
  ["an extra pair of quotes", `"${plain}"`, entry],
  ["a CSV field", `"${plain.replaceAll('"', '""')}"`, entry],
  ["further fields", `${plain} "203.0.113.9" 0.012`, entry],
  ["an empty user", plain.replace("- -", '- ""'), { user: null }],
  ["a user with a blank", plain.replace("- -", '- "john doe"'), { user: "john doe" }],
  ["a user with a blank, not quoted", plain.replace("- -", "- john doe"), { user: "john doe" }],
  ["no status and no size", plain.replace("200 17", "- -"), { status: null, bytes: null }],
  ["a size of -", plain.replace("200 17", "304 -"), { status: 304, bytes: null }],
  ["an escaped quote", plain.replace("Agent/1", 'A \\"b\\" \\x5c c'), { userAgent: 'A "b" \\ c' }],
  [
    "a referrer",
    plain.replace('"-"', '"http://a.test/?q=\\"x\\""'),
    { referrer: 'http://a.test/?q="x"' },
  ],
  ["IPv6", plain.replace("198.51.100.7", "2001:DB8:0:0::1"), { client: "2001:db8::1" }],
  [
    "IPv4 as IPv6",
    plain.replace("198.51.100.7", "::ffff:198.51.100.7"),
    { client: "198.51.100.7" },
  ],
  ["a port", plain.replace("198.51.100.7", "198.51.100.7:51234"), { client: "198.51.100.7" }],
  [
    "IPv6 with a port",
    plain.replace("198.51.100.7", "[2001:db8::1]:443"),
    { client: "2001:db8::1" },
  ],
  ["a virtual host", `www.example.test:443 ${plain}`, entry],
  ["a virtual host that is an address", `192.0.2.1:443 ${plain}`, entry],
  [
    "a list of addresses",
    plain.replace("198.51.100.7", "198.51.100.7, 10.0.0.1"),
    { ...entry, addresses: 2 },
  ],
  [
    "a list without blanks",
    plain.replace("198.51.100.7", "198.51.100.7,10.0.0.1"),
    { ...entry, addresses: 2 },
  ],
  [
    "a list that begins with a word",
    plain.replace("198.51.100.7", "unknown, 198.51.100.7"),
    { ...entry, addresses: 2 },
  ],
  [
    "an expression as path",
    plain.replace("/a", `//\${%23a:b,'c'}.action`),
    { target: `//\${%23a:b,'c'}.action` },
  ],
  ["blanks in the path", plain.replace("/a", "/a b  c"), { target: "/a%20b%20%20c" }],
  ["a quote in the path", plain.replace("/a", '/a"b?c="d'), { target: '/a"b?c="d' }],
  [
    "an escaped quote and status in the path",
    plain.replace("/a", '/a\\" 500 1'),
    { target: '/a"%20500%201', status: 200 },
  ],
  ["bytes above ASCII", plain.replace("/a", "/\\xe4é€"), { target: "/%E4%E9%E2%82%AC" }],
  ["half a surrogate pair", plain.replace("/a", "/\ud800"), { target: "/%EF%BF%BD" }],
  ["an absolute address", plain.replace("/a", "http://a.test?b"), { target: "/?b" }],
  ["OPTIONS *", plain.replace("GET /a", "OPTIONS *"), { method: "OPTIONS", target: "*" }],
  ["no protocol", plain.replace(" HTTP/1.1", ""), { target: "/a" }],
  ["an ISO time", plain.replace("17/May/2015:10:05:03 +0000", "2015-05-17T12:05:03+0200"), entry],
];

test.each(read)("reads %s", (_, line, expected) => {
  expect(parseAccessLogLine(line)).toEqual({ ok: expect.objectContaining(expected) });
});

const times: [stamp: string, iso: string][] = [
  ["31/Oct/2021:02:30:00 +0200", "2021-10-31T00:30:00.000Z"],
  ["31/Oct/2021:02:30:00 +0100", "2021-10-31T01:30:00.000Z"],
  ["30/Oct/2021:21:30:00 -0330", "2021-10-31T01:00:00.000Z"],
  ["29/Feb/2016:23:59:60 +0000", "2016-03-01T00:00:00.000Z"],
  ["1/jan/1999:00:00:00 +1400", "1998-12-31T10:00:00.000Z"],
];

test.each(times)("%s is the instant %s: the offset decides", (stamp, iso) => {
  const line = parseAccessLogLine(plain.replace("17/May/2015:10:05:03 +0000", stamp));
  expect("ok" in line && new Date(line.ok.atMs).toISOString()).toBe(iso);
});

const broken: [reason: BrokenReason, line: string][] = [
  ["blank", "  \r"],
  ["too-long", plain.replace("/a", `/${"a".repeat(70_000)}`)],
  ["no-time", "\0\0\0\0"],
  ["no-time", plain.replace("17/May/2015:10:05:03 +0000", "yesterday")],
  ["bad-time", plain.replace("17/May", "31/Feb")],
  ["bad-time", plain.replace("17/May", "17/Mai")],
  ["bad-time", plain.replace("10:05:03", "24:05:03")],
  ["no-client", plain.replace("198.51.100.7", "-")],
  ["client-not-address", plain.replace("198.51.100.7", "crawler.example.test")],
  ["client-not-address", plain.replace("198.51.100.7", "198.51.100.07")],
  ["no-request", plain.replace("GET /a HTTP/1.1", "-")],
  ["no-request", plain.replace("GET /a HTTP/1.1", "")],
  ["no-request", "198.51.100.7 - - [17/May/2015:10:05:03 +0000]"],
  ["bad-method", plain.replace("GET /a HTTP/1.1", "\\x16\\x03\\x01 \\x02")],
  ["bad-target", plain.replace("GET /a", "CONNECT a.test:443")],
  ["bad-target", plain.replace("/a", "robots.txt")],
  ["no-status", plain.replace(/ 200.*/, "")],
];

test.each(broken)("%s: names what is wrong with a broken line", (reason, line) => {
  expect(parseAccessLogLine(line)).toEqual({ broken: reason });
});
