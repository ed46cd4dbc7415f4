import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalPath } from "./canonical-path";

describe("every spelling of a path is one path", () => {
  test.each([
    "/v1/login",
    "/v1/login/",
    "/v1//login",
    "//v1/login",
    "///v1///login///",
    "/v1/./login",
    "/./v1/login/.",
    "/v1/x/../login",
    "/v1/login/x/..",
    "/../../v1/login",
    "/v1/%6Cogin",
    "/v1/%6cogin",
    "/%76%31/login",
    "/v1/%2e/login",
    "/v1/x/%2E%2e/login",
    "/v1/login?x=1",
    "/v1/login?",
    "/v1/login/?a=/../b",
    "/v1/login#top",
    "/v1\\login",
    "http://api.example.test/v1/login",
    "HTTP://api.example.test:8080/v1//login?x",
    "v1/login",
  ])("%s", (target) => {
    expect(canonicalPath(target)).toBe("/v1/login");
  });
});

describe("what is another path stays one", () => {
  test.each([
    ["/V1/login", "/V1/login"],
    ["/v1/login;a=b", "/v1/login;a=b"],
    ["/v1/login%3ba=b", "/v1/login%3Ba=b"],
    ["/v1%2flogin", "/v1%2Flogin"],
    ["/v1%5clogin", "/v1%5Clogin"],
    ["/v1/login%00", "/v1/login%00"],
    ["/v1/%zz", "/v1/%zz"],
    ["/v1/%", "/v1/%"],
    ["/v1/%4", "/v1/%4"],
    ["/v1/%252e%252e/x", "/v1/%252e%252e/x"],
    ["/v1/batch%3asend", "/v1/batch:send"],
    ["/v1/batch:send", "/v1/batch:send"],
    ["/caf%c3%a9", "/caf%C3%A9"],
    ["/caf\u00c3\u00a9", "/caf%C3%A9"],
    ["/\u{1f600}/x", "/%F0%9F%98%80/x"],
    ["/\ud800", "/%EF%BF%BD"],
    ['/a"b{c}', "/a%22b%7Bc%7D"],
    ["/a//../b", "/a/b"],
    ["/...", "/..."],
    ["/.well-known/x", "/.well-known/x"],
    ["/", "/"],
    ["", "/"],
    ["?x", "/"],
    ["//", "/"],
    ["/..", "/"],
    ["*", "*"],
    ["http://api.example.test", "/"],
  ])("%j is %j", (target, expected) => {
    expect(canonicalPath(target)).toBe(expected);
  });
});

describe("by setting, case does not matter", () => {
  test.each([
    ["/V1/Login", "/v1/login"],
    ["/v1/%4Cogin", "/v1/login"],
    ["/v1%2FLogin", "/v1%2Flogin"],
    ["/v1/login", "/v1/login"],
  ])("%s is %s", (target, expected) => {
    expect(canonicalPath(target, { caseInsensitive: true })).toBe(expected);
  });
});

const target = fc.string({
  unit: fc.constantFrom(..."/..%%aAfF02eE;?#\\: ~é\u{1f600}"),
  maxLength: 40,
});

describe("whatever arrives", () => {
  test("nothing throws, and the answer is a clean path", () => {
    fc.assert(
      fc.property(fc.oneof(target, fc.string({ unit: "binary" })), (text) => {
        const path = canonicalPath(text);
        expect(path === "*" || /^(?:\/|(?:\/[^/?#\\]+)+)$/.test(path)).toBe(true);
        expect(path.split("/")).not.toContain("..");
        expect(path.split("/")).not.toContain(".");
      }),
    );
  });

  test("a canonical path is its own canonical path", () => {
    const wellFormed = target.filter((text) => !/%(?![0-9a-fA-F]{2})/.test(text));
    fc.assert(
      fc.property(wellFormed, fc.boolean(), (text, caseInsensitive) => {
        const path = canonicalPath(text, { caseInsensitive });
        expect(canonicalPath(path, { caseInsensitive })).toBe(path);
      }),
    );
  });

  test("escaping unreserved characters changes nothing", () => {
    const segment = fc.string({
      unit: fc.constantFrom(..."abcXYZ019-_~"),
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
        const plain = `/${segments.join("/")}`;
        const escaped = plain.replace(
          /[^/]/g,
          (character) => `%${character.charCodeAt(0).toString(16)}`,
        );
        expect(canonicalPath(escaped)).toBe(plain);
      }),
    );
  });
});
