import { expect, test } from "vitest";
import { ManualClock } from "../clock";
import { createKeyUse, KEY_TOLD_EVERY_MS, KEYS_A_BATCH } from "./key-use";

test("a key is named once an hour, however often it is used, and only while it is used; an address never", () => {
  const clock = new ManualClock();
  const use = createKeyUse({ clock });
  for (let i = 0; i < 5; i += 1) use.used("key:a");
  use.used("ip:198.51.100.7");
  expect(use.take()).toEqual(["a"]);
  use.used("key:a");
  use.used("key:b");
  expect(use.take()).toEqual(["b"]);
  clock.advance(KEY_TOLD_EVERY_MS);
  expect(use.take()).toEqual([]);
  use.used("key:a");
  expect(use.take()).toEqual(["a"]);
});

test("a million keys at once wait in a bounded memory, and none is lost that is used again", () => {
  const use = createKeyUse({ clock: new ManualClock() });
  for (let i = 0; i < 1_000_000; i += 1) use.used(`key:k${i}`);
  const named = new Set<string>();
  for (let ids = use.take(); ids.length > 0; ids = use.take()) {
    expect(ids.length).toBeLessThanOrEqual(KEYS_A_BATCH);
    for (const id of ids) named.add(id);
  }
  expect(named.size).toBe(50_000);
  use.used("key:k999999");
  expect(use.take()).toEqual(["k999999"]);
});
