import { expect, it } from "vitest";
import { isNarrowed, narrowed, reportHref } from "./report-address";

it("adds to what is asked for, and takes away", () => {
  expect(narrowed({ plan: "free" }, { route: "/v1/links" })).toEqual({
    plan: "free",
    route: "/v1/links",
  });
  expect(narrowed({ plan: "free", revision: "3" }, { plan: undefined })).toEqual({ revision: "3" });
  expect(isNarrowed(narrowed({ plan: "free" }, { plan: undefined }))).toBe(false);
});

it("never asks for a client and a route at once: clients are not counted by route", () => {
  const route = { plan: "free", route: "/v1/links" };
  expect(narrowed(route, { client: "key:a" })).toEqual({ plan: "free", client: "key:a" });
  expect(narrowed({ client: "key:a" }, { route: "other" })).toEqual({ route: "other" });
  expect(narrowed({ client: "key:a" }, { route: undefined })).toEqual({ client: "key:a" });
});

it("keeps time and mode in the address", () => {
  const href = reportHref("/rules/a/report", { range: "1h", mode: undefined });
  expect(href({ client: "key:a" })).toBe("/rules/a/report?range=1h&client=key%3Aa");
  expect(href({})).toBe("/rules/a/report?range=1h");
});
