import { expect, test } from "vitest";
import { calendarPeriod } from "@/lib/core/calendar-period";
import { durationSeconds } from "@/lib/core/duration";
import { tidyDuration } from "./duration-input";

test.each([
  ["1 min", "1m"],
  ["minute", "1m"],
  ["2 Hours", "2h"],
  ["90s", "90s"],
  [" 1d ", "1d"],
])("%j is taken as %s", (typed, written) => {
  expect(tidyDuration(typed)).toBe(written);
  expect(durationSeconds(tidyDuration(typed))).not.toBeNull();
});

test.each([
  ["1 month", "1mo"],
  ["months", "1mo"],
  ["3 mo", "3mo"],
])("%j is taken as %s, for calendars", (typed, written) => {
  expect(tidyDuration(typed)).toBe(written);
  expect(calendarPeriod(tidyDuration(typed))).not.toBeNull();
});

test.each(["fortnight", "1.5h", "", "1 h 30 m"])("%j stays as typed, and is refused", (typed) => {
  expect(tidyDuration(typed)).toBe(typed);
  expect(durationSeconds(tidyDuration(typed))).toBeNull();
});
