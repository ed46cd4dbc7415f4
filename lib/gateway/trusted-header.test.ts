import { describe, expect, test } from "vitest";
import { guardTrustedHeader } from "./trusted-header";

function guard(headers: Record<string, string>, isPeerTrusted: boolean, name = "x-client") {
  const left = { ...headers };
  const isRefused = guardTrustedHeader(left, { name, isPeerTrusted });
  return { left: Object.keys(left), isRefused };
}

describe("what no trusted hop said is out, in every spelling that an upstream reads alike", () => {
  test.each([
    [["x-client"], []],
    [["x_client", "x-client"], []],
    [
      ["x-clients", "x-clien", "client"],
      ["x-clients", "x-clien", "client"],
    ],
  ])("%j", (sent, left) => {
    const headers = Object.fromEntries(sent.map((name) => [name, "acme"]));
    expect(guard(headers, false)).toEqual({ left, isRefused: left.length === 0 });
  });
});

test("of a trusted hop its own spelling stays, a client's that it passed on does not", () => {
  expect(guard({ "x-client": "acme", x_client: "bolt" }, true)).toEqual({
    left: ["x-client"],
    isRefused: false,
  });
  expect(guard({ "x-client": "acme", x_client: "bolt" }, true, "x_client").left).toEqual([
    "x_client",
  ]);
});
