import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileGlobs, pathSegments } from "./route-glob";

function fits(glob: string, path: string, caseInsensitive = false): boolean {
  const matcher = compileGlobs([glob], { caseInsensitive });
  return matcher?.(path, () => pathSegments(path)) ?? false;
}

describe("a glob fits", () => {
  test.each([
    ["/v1/login", "/v1/login"],
    ["/v1/login/", "/v1/login"],
    ["/v1//login", "/v1/login"],
    ["/v1/%6Cogin", "/v1/login"],
    ["/v1/links/**", "/v1/links"],
    ["/v1/links/**", "/v1/links/7"],
    ["/v1/links/**", "/v1/links/7/stats"],
    ["/**", "/"],
    ["/**", "/v1/links"],
    ["/v1/*/stats", "/v1/links/stats"],
    ["/v1/:kind/stats", "/v1/links/stats"],
    ["/**/stats", "/stats"],
    ["/**/stats", "/v1/links/7/stats"],
    ["/v1/**/stats/**", "/v1/a/stats/b/stats"],
    ["/v1/**/**/x", "/v1/x"],
    ["/caf\u00e9", "/caf%C3%A9"],
    ["/v1/batch:send", "/v1/batch:send"],
  ])("%s on %s", (glob, path) => {
    expect(fits(glob, path)).toBe(true);
  });
});

describe("a glob does not fit", () => {
  test.each([
    ["/v1/login", "/v1/login2"],
    ["/v1/login", "/v1/login/x"],
    ["/v1/links/**", "/v1/links2"],
    ["/v1/links/**", "/v1"],
    ["/v1/*", "/v1"],
    ["/v1/*", "/v1/a/b"],
    ["/v1/:id", "/v1"],
    ["/**/stats", "/v1/stats/x"],
    ["/v1/*/**/x", "/v1/x"],
    ["/v1/li*", "/v1/links"],
    ["/V1/login", "/v1/login"],
    ["/**", "*"],
  ])("%s on %s", (glob, path) => {
    expect(fits(glob, path)).toBe(false);
  });
});

test("no globs are no condition, and by setting case does not matter", () => {
  expect(compileGlobs(undefined)).toBeNull();
  expect(fits("/V1/Login", "/v1/login", true)).toBe(true);
});

test("a glob agrees with the regular expression that it stands for", () => {
  const part = fc.constantFrom("a", "b", "*", "**", ":x");
  const segment = fc.constantFrom("a", "b", "c");
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 6 }),
      fc.array(segment, { maxLength: 7 }),
      (parts, segments) => {
        const source = parts
          .map((text) =>
            text === "**" ? "(?:/[^/]+)*" : /^[*:]/.test(text) ? "/[^/]+" : `/${text}`,
          )
          .join("");
        const path = segments.map((text) => `/${text}`).join("");
        const expected = new RegExp(`^${source}$`).test(path);
        expect(fits(`/${parts.join("/")}`, path === "" ? "/" : path)).toBe(expected);
      },
    ),
    { numRuns: 2000 },
  );
});

test("a long path cannot make a glob slow", () => {
  const glob = `/${"**/a/".repeat(30)}z`;
  const path = `/${"a/".repeat(4000)}b`;
  const startedAt = performance.now();
  expect(fits(glob, path)).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(1000);
});
