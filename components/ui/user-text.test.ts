import { expect, test } from "vitest";
import { shownText } from "./user-text";

test.each([
  ["free\u202Eesirpretne", "free⟨U+202E⟩esirpretne"],
  ["\u2066a\u2069", "⟨U+2066⟩a⟨U+2069⟩"],
  ["הגבלת בקשות", "הגבלת בקשות"],
  ["حد الطلبات 60", "حد الطلبات 60"],
])("%j is shown so that it cannot turn its neighbours round", (text, expected) => {
  expect(shownText(text)).toBe(expected);
});
