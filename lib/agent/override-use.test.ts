import { expect, test } from "vitest";
import { ManualClock } from "../clock";
import { createOverrideUse, USE_TOLD_EVERY_MS, USES_MAX } from "./override-use";

test("an override is named once a minute, however often it is used, and only while it is used", () => {
  const clock = new ManualClock();
  const use = createOverrideUse({ clock });
  for (let i = 0; i < 5; i += 1) use.used("a");
  expect(use.take()).toEqual(["a"]);
  use.used("a");
  use.used("b");
  expect(use.take()).toEqual(["b"]);
  clock.advance(USE_TOLD_EVERY_MS);
  expect(use.take()).toEqual([]);
  use.used("a");
  expect(use.take()).toEqual(["a"]);
});

test("what is too much for one batch waits for the next", () => {
  const use = createOverrideUse({ clock: new ManualClock() });
  for (let i = 0; i <= USES_MAX; i += 1) use.used(`o${i}`);
  expect(use.take()).toHaveLength(USES_MAX);
  expect(use.take()).toEqual([`o${USES_MAX}`]);
});
