import { expect, test } from "vitest";
import { originProblem } from "./origin";

const PUBLIC = "https://ops.example.test:8443";
const behindProxy = { origin: PUBLIC, host: "127.0.0.1:3000" };

const taken: [what: string, headers: Record<string, string>][] = [
  ["the public address, whatever host the proxy passes", behindProxy],
  [
    "the public address with a forwarded host",
    { ...behindProxy, "x-forwarded-host": "ops.example.test:8443" },
  ],
  [
    "the public address with a forwarded host without its port",
    { ...behindProxy, "x-forwarded-host": "ops.example.test" },
  ],
  ["the host that was asked for", { origin: "http://127.0.0.1:3000", host: "127.0.0.1:3000" }],
  [
    "a host that the proxy passes on",
    {
      origin: "https://other.example.test",
      host: "127.0.0.1:3000",
      "x-forwarded-host": "other.example.test",
    },
  ],
  [
    "no origin, but a browser that says so",
    { host: "127.0.0.1:3000", "sec-fetch-site": "same-origin" },
  ],
];

test.each(taken)("a form from %s is taken", (_, headers) => {
  expect(originProblem(new Headers(headers), PUBLIC)).toBeNull();
});

const refused: [what: string, headers: Record<string, string>, says: string][] = [
  [
    "another site",
    { ...behindProxy, origin: "https://evil.example.test" },
    "the page is at https://evil.example.test",
  ],
  ["a sandboxed page", { ...behindProxy, origin: "null" }, 'the page is at "null"'],
  ["no origin", { host: "127.0.0.1:3000" }, "(no Origin)"],
  [
    "no origin and another site",
    { host: "127.0.0.1:3000", "sec-fetch-site": "cross-site" },
    "(no Origin)",
  ],
  [
    "the public host on another port",
    { ...behindProxy, origin: "https://ops.example.test" },
    "the page is at https://ops.example.test,",
  ],
  [
    "an address that only begins alike",
    { ...behindProxy, origin: "https://ops.example.test:8443.evil.test" },
    "evil.test",
  ],
];

test.each(refused)("a form from %s is refused, and both values are told", (_, headers, says) => {
  const problem = originProblem(new Headers(headers), PUBLIC);
  expect(problem).toContain(says);
  expect(problem).toContain(PUBLIC);
});
