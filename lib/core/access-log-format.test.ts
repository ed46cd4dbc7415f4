import { expect, test } from "vitest";
import type { AccessLogEntry, BrokenReason } from "./access-log";
import { createLogParser, detectLogFormat } from "./access-log-format";
import type { LogMapping } from "./access-log-json";

const AT = Date.UTC(2026, 2, 1, 10, 5, 3);
const json = (value: unknown) => JSON.stringify(value);

const plain = { time: "2026-03-01T10:05:03Z", client_ip: "192.0.2.3", method: "GET", path: "/a" };
const caddy = (request: object, rest: object = {}) =>
  json({
    level: "info",
    ts: 1772359503.25,
    logger: "http.log.access",
    request: { method: "GET", uri: "/a?b", remote_ip: "10.0.0.1", remote_port: "1", ...request },
    user_id: "",
    size: 12,
    status: 200,
    ...rest,
  });
const entry = { client: "192.0.2.3", atMs: AT, method: "GET", target: "/a" };

const read: [
  what: string,
  line: string,
  expected: Partial<AccessLogEntry>,
  mapping?: LogMapping,
][] = [
  ["plain JSON", json(plain), entry],
  ["a byte order mark and a carriage return", `\uFEFF${json(plain)}\r`, entry],
  ["seconds with a fraction", json({ ...plain, time: AT / 1000 + 0.5 }), { atMs: AT + 500 }],
  ["milliseconds", json({ ...plain, time: AT }), entry],
  ["nanoseconds as text", json({ ...plain, time: `${AT}000000` }), entry],
  ["a zone", json({ ...plain, time: "2026-03-01T12:05:03.000+0200" }), entry],
  ["no zone: UTC", json({ ...plain, time: "2026-03-01 10:05:03" }), entry],
  ["an address and a query", json({ ...plain, path: "https://a.test/x?y" }), { target: "/x?y" }],
  [
    "nginx's variables",
    json({
      time_local: "01/Mar/2026:11:05:03 +0100",
      remote_addr: "2001:DB8::1",
      remote_user: "-",
      request: "POST /b c HTTP/1.1",
      status: "201",
      body_bytes_sent: "17",
      http_user_agent: "Agent/1",
      http_x_forwarded_for: "198.51.100.9",
    }),
    {
      client: "2001:db8::1",
      atMs: AT,
      method: "POST",
      target: "/b%20c",
      status: 201,
      bytes: 17,
      userAgent: "Agent/1",
      user: null,
    },
  ],
  [
    "nginx's own escapes",
    json({ ...plain, path: "/a@b", agent: "c@d" }).replaceAll("@", "\\x22"),
    { target: '/a"b', userAgent: 'c"d' },
  ],
  ["nginx's msec", json({ ...plain, time: undefined, msec: "1772359503.000" }), entry],
  [
    "a mapping",
    json({ ...plain, at: { t: AT }, xff: "198.51.100.9, 10.0.0.1", time: 1 }),
    { client: "198.51.100.9", addresses: 2, atMs: AT },
    { time: "at.t", client: "xff" },
  ],
  [
    "a mapped name with a dot",
    json({ ...plain, "c.ip": "192.0.2.8" }),
    { client: "192.0.2.8" },
    { client: "c.ip" },
  ],
  ["a key", json({ ...plain, api_key: "hg_abc" }), { key: "hg_abc" }],
  [
    "Caddy: client_ip before remote_ip",
    caddy({ client_ip: "192.0.2.3" }),
    { client: "192.0.2.3", atMs: AT + 250, target: "/a?b", status: 200, bytes: 12, user: null },
  ],
  ["Caddy: an empty client_ip", caddy({ client_ip: "" }), { client: "10.0.0.1" }],
  [
    "Caddy: an old address with a port",
    caddy({ remote_ip: undefined, remote_addr: "[2001:db8::1]:443" }),
    { client: "2001:db8::1" },
  ],
  [
    "Caddy: the first of a header's values, and no key that was struck out",
    caddy({
      headers: {
        "User-Agent": ["A", "B"],
        Authorization: ["REDACTED"],
        "X-Forwarded-For": ["198.51.100.7, 10.0.0.1"],
      },
    }),
    { userAgent: "A", key: null, client: "10.0.0.1" },
  ],
  [
    "Caddy: a bearer's key",
    caddy({ headers: { Authorization: ["Bearer hg_abc"] } }),
    { key: "hg_abc" },
  ],
  ["Caddy: a time in words", caddy({}, { ts: "2026-03-01T10:05:03.000Z" }), { atMs: AT }],
];

test.each(read)("JSON, %s", (_, line, expected, mapping) => {
  expect(createLogParser("json", mapping)(line)).toEqual({ ok: expect.objectContaining(expected) });
});

const broken: [reason: BrokenReason, line: string][] = [
  ["blank", " \r"],
  ["not-json", '2026/03/01 10:05:03.000\tinfo\thttp.log.access\thandled request\t{"request": {}}'],
  ["not-json", "[1]"],
  ["not-json", json(plain).slice(0, -4)],
  ["no-time", json({ ...plain, time: null })],
  ["bad-time", json({ ...plain, time: "yesterday" })],
  ["bad-time", json({ ...plain, time: "2026-02-30T10:00:00Z" })],
  ["bad-time", json({ ...plain, time: 12 })],
  ["no-client", json({ ...plain, client_ip: "" })],
  ["client-not-address", json({ ...plain, client_ip: 7 })],
  ["client-not-address", caddy({ client_ip: "", remote_ip: "the proxy said no" })],
  ["no-request", json({ ...plain, method: undefined })],
  ["bad-method", json({ ...plain, method: "G T" })],
  ["bad-target", json({ ...plain, path: "a" })],
];

test.each(broken)("JSON, %s: names what is wrong with a broken line", (reason, line) => {
  expect(createLogParser("json")(line)).toEqual({ broken: reason });
});

const alb =
  'https 2026-03-01T10:05:04.186641Z app/lb/50dc 192.0.2.3:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "GET https://www.example.test:443/a?b=\\"c\\" HTTP/1.1" "curl/7.46.0 \\"x\\"" ECDHE-RSA TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:1:targetgroup/t/73e "Root=1-58" "www.example.test" "arn:aws:acm:c" 1 2026-03-01T10:05:03.000000Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-" TID_1';

test.each<[string, string, Partial<AccessLogEntry>]>([
  [
    "a line",
    alb,
    {
      client: "192.0.2.3",
      atMs: AT,
      method: "GET",
      target: '/a?b="c"',
      status: 200,
      bytes: 57,
      userAgent: 'curl/7.46.0 "x"',
    },
  ],
  ["an older line", alb.replace(/ ECDHE.*/, ""), { atMs: AT + 1186.641 }],
  ["IPv6", alb.replace("192.0.2.3:", "2001:db8::1:"), { client: "2001:db8::1" }],
  ["IPv6 in brackets", alb.replace("192.0.2.3:", "[2001:db8::1]:"), { client: "2001:db8::1" }],
])("ALB, %s", (_, line, expected) => {
  expect(createLogParser("alb")(line)).toEqual({ ok: expect.objectContaining(expected) });
});

test.each<[BrokenReason, string]>([
  ["blank", ""],
  ["not-alb", "https 2026-03-01T10:05:04.186641Z app/lb"],
  ["not-alb", alb.slice(6)],
  ["bad-target", alb.replace(/"GET [^ ]*/, '"- http://a.test:80-').replace("- http", "GET x-http")],
  ["no-client", alb.replace("192.0.2.3:2817", "-")],
])("ALB, %s: names what is wrong with a broken line", (reason, line) => {
  expect(createLogParser("alb")(line)).toEqual({ broken: reason });
});

test("a log's format is what most of its first lines look like", () => {
  const clf = '198.51.100.7 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 1';
  expect(detectLogFormat([])).toBe("combined");
  expect(detectLogFormat(["", "#Fields: x", clf])).toBe("combined");
  expect(detectLogFormat(["cut off}", `\uFEFF${json(plain)}`, json(plain)])).toBe("json");
  expect(detectLogFormat([alb, "", alb])).toBe("alb");
});
