import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileRoutes } from "./route-template";

const routeOf = compileRoutes([
  "/v1/messages",
  "/v1/messages/:id",
  "/v1/links/:id",
  "/v1/links/new",
  "/v1/links/:id/stats",
  "/v1/:kind/new/edit",
  "/v1/:kind/:id/history",
  "/v1/caf\u00e9/",
  "/files/**",
  "/files/:name",
  "/",
]);

describe("a path is named by its template", () => {
  test.each([
    ["/v1/messages", "/v1/messages"],
    ["/v1/messages/7", "/v1/messages/:id"],
    ["/v1/links", "other"],
    ["/v1/links/7", "/v1/links/:id"],
    ["/v1/links/new", "/v1/links/new"],
    ["/v1/links/7/stats", "/v1/links/:id/stats"],
    ["/v1/links/new/edit", "/v1/:kind/new/edit"],
    ["/v1/links/new/history", "/v1/:kind/:id/history"],
    ["/v1/caf%C3%A9", "/v1/caf\u00e9/"],
    ["/files", "/files/**"],
    ["/files/a", "/files/:name"],
    ["/files/a/b/c", "/files/**"],
    ["/", "/"],
    ["/V1/messages", "other"],
    ["/constructor", "other"],
    ["/__proto__/x", "other"],
    ["*", "other"],
  ])("%s is %s", (path, expected) => {
    expect(routeOf(path)).toBe(expected);
  });
});

test("without templates every path is other", () => {
  expect(compileRoutes([])("/v1/messages")).toBe("other");
});

test("of two templates of one shape the first names the route", () => {
  expect(compileRoutes(["/v1/:a", "/v1/:b"])("/v1/x")).toBe("/v1/:a");
});

test("by setting, a template fits in any case and keeps its own spelling", () => {
  expect(compileRoutes(["/V1/Links/:Id"], { caseInsensitive: true })("/v1/links/7")).toBe(
    "/V1/Links/:Id",
  );
});

test("attackers mint no route: the answer is a template or other", () => {
  const templates = ["/a/:x", "/a/b", "/:y/c", "/d/**"];
  const route = compileRoutes(templates);
  const segment = fc.constantFrom("a", "b", "c", "d", "zz", "%2F", ":x", "*", "**");
  fc.assert(
    fc.property(fc.array(segment), (segments) => {
      expect([...templates, "other"]).toContain(route(`/${segments.join("/")}`));
    }),
  );
});
