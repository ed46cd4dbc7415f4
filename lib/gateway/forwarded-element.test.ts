import { describe, expect, test } from "vitest";
import { elementOf, parseElement, startOfElement } from "./forwarded-element";

function lastOf(text: string): string | null {
  const start = startOfElement(text, text.length);
  return start === null ? null : text.slice(start).trim();
}

describe("the last element is the one that the last hop wrote", () => {
  test.each([
    ["for=203.0.113.7", "for=203.0.113.7"],
    ["for=1.1.1.1, for=203.0.113.7", "for=203.0.113.7"],
    ['for=1.1.1.1, for="[2001:db8::1]:443"', 'for="[2001:db8::1]:443"'],
    ['for=1.1.1.1, for=2.2.2.2;host="a,b"', 'for=2.2.2.2;host="a,b"'],
    ['for=1.1.1.1, for=2.2.2.2;host="a\\",\\\\"', 'for=2.2.2.2;host="a\\",\\\\"'],
    ['for="1.1.1.1, for=203.0.113.7', "for=203.0.113.7"],
    ['for=1.1.1.1;by="\\, for=203.0.113.7;host="api"', 'for=203.0.113.7;host="api"'],
    ['"""", for=203.0.113.7', "for=203.0.113.7"],
    ["", ""],
    [",", ""],
  ])("%s", (text, element) => {
    expect(lastOf(text)).toBe(element);
  });

  test.each(['for="203.0.113.7', 'a, for=1.1.1.1"', '"', '\\"'])("%s has an open quote", (text) => {
    const element = lastOf(text);
    expect(element === null ? null : parseElement(element)).toBeNull();
  });

  test("16 KB of quotes and backslashes are read in a moment", () => {
    for (const piece of ['"', '\\"', "\\", '"\\\\', ",", '",']) {
      const text = piece.repeat(16_000 / piece.length);
      const from = performance.now();
      let end = text.length;
      while (end > 0) {
        const start = startOfElement(text, end);
        parseElement(text.slice(start ?? 0, end));
        end = start === null ? 0 : start - 1;
      }
      expect(performance.now() - from).toBeLessThan(500);
    }
  });
});

describe("an element", () => {
  test.each([
    ["for=203.0.113.7", { node: "203.0.113.7", proto: null, host: null }],
    ["For=203.0.113.7;PROTO=https", { node: "203.0.113.7", proto: "https", host: null }],
    ['for="203.0.113.7:443"', { node: "203.0.113.7:443", proto: null, host: null }],
    ["for=203.0.113.7:443", { node: "203.0.113.7:443", proto: null, host: null }],
    ["for=[2001:db8::1]", { node: "[2001:db8::1]", proto: null, host: null }],
    [
      'proto=http;by=10.0.0.1; for="[2001:db8::1]:443" ;host="api.example:8443"',
      { node: "[2001:db8::1]:443", proto: "http", host: "api.example:8443" },
    ],
    ['for="\\2.0.113.7"', { node: "2.0.113.7", proto: null, host: null }],
    [";;for=_hidden;;", { node: "_hidden", proto: null, host: null }],
    ["for=", { node: "", proto: null, host: null }],
    ['for=unknown;proto="h t";host="a b"', { node: "unknown", proto: null, host: null }],
  ])("%s", (text, element) => {
    expect(parseElement(text)).toEqual(element);
  });

  test.each([
    ["no for", "proto=https"],
    ["for twice", "for=1.1.1.1;for=2.2.2.2"],
    ["a name alone", "for"],
    ["a value alone", "=1.1.1.1"],
    ["blanks around the sign", "for = 1.1.1.1"],
    ["two values", "for=1.1.1.1 2.2.2.2"],
    ["an open quote", 'for="1.1.1.1'],
    ["words after a quote", 'for="1.1.1.1"x'],
    ["two elements", "for=1.1.1.1,for=2.2.2.2"],
    ["nothing", ""],
  ])("%s is none", (_name, text) => {
    expect(parseElement(text)).toBeNull();
  });

  test("what we write reads back, whatever the Host field holds", () => {
    for (const node of ["203.0.113.7", "2001:db8::1"])
      for (const host of ["api.example", "api.example:8443", "[2001:db8::2]:80"]) {
        const written = elementOf({ node, host, proto: "http" });
        const expected = node.includes(":") ? `[${node}]` : node;
        expect(parseElement(written)).toEqual({ node: expected, host, proto: "http" });
      }
    const odd = elementOf({ node: "203.0.113.7", host: 'a", for=1.1.1.1;\\', proto: "http" });
    expect(lastOf(odd)).toBe(odd);
    expect(parseElement(odd)).toMatchObject({ node: "203.0.113.7", host: null, proto: "http" });
  });
});
