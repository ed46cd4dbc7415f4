import { expect, test } from "vitest";
import { safeNext } from "./safe-next";

test.each([
  ["/rules/per-key-rate?tab=1", "/rules/per-key-rate?tab=1"],
  ["/draft", "/draft"],
])("%j is followed", (next, path) => {
  expect(safeNext(next)).toBe(path);
});

test.each([
  "//evil.example.test",
  "/\\evil.example.test",
  "https://evil.example.test",
  "javascript:alert(1)",
  "/sign-in?next=/sign-in",
  "",
  undefined,
  ["/rules"],
])("%j leads to the rules instead", (next) => {
  expect(safeNext(next)).toBe("/rules");
});
