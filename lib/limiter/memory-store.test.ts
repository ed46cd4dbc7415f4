import { expect, test } from "vitest";
import { ManualClock } from "@/lib/clock";
import { tokenBucket } from "@/lib/core/bucket";
import type { StateRecord } from "@/lib/core/record";
import { createMemoryStore } from "./memory-store";
import { describeStore } from "./store-contract";

describeStore("the memory store", async () => {
  let timeUs = 0;
  const states = new Map<string, StateRecord[]>();
  const clock = { nowMs: () => 0, monotonicMs: () => timeUs / 1000 };
  const store = createMemoryStore({ clock, states });
  return {
    store,
    setTimeUs: (value) => {
      timeUs = value;
    },
    recordsOf: async (key) => states.get(key) ?? [],
    close: () => store.close(),
  };
});

function visitor(name: string, per = "1s") {
  const limit = tokenBucket({ rate: 1, per, burst: 1 });
  return {
    rules: [{ ruleId: "r", key: name, slot: 1, role: "enforced" as const, limit, cost: 1 }],
  };
}

test("buckets that are full again are forgotten as others come, without a timer", () => {
  const clock = new ManualClock();
  const store = createMemoryStore({ clock });
  for (let i = 0; i < 1000; i += 1) store.checkNow(visitor(`a${i}`));
  expect(store.size).toBe(1000);
  clock.advance(2_000);
  for (let i = 0; i < 1000; i += 1) store.checkNow(visitor("b"));
  expect(store.size).toBe(1);
});

test("it never holds more keys than it may, and the newest stay", () => {
  const store = createMemoryStore({ clock: new ManualClock(), maxKeys: 10 });
  for (let i = 0; i < 1000; i += 1) store.checkNow(visitor(`a${i}`, "1h"));
  expect(store.size).toBe(10);
  expect(store.checkNow(visitor("a999", "1h")).verdict).toBe("refused");
});

test("a step of the wall clock changes no bucket", () => {
  const clock = new ManualClock();
  const store = createMemoryStore({ clock });
  store.checkNow(visitor("a"));
  clock.stepWall(-3_600_000);
  expect(store.checkNow(visitor("a"))).toMatchObject({ verdict: "refused" });
  clock.stepWall(7_200_000);
  expect(store.checkNow(visitor("a"))).toMatchObject({ binding: { retryAfterMs: 1000 } });
  clock.advance(1000);
  expect(store.checkNow(visitor("a")).verdict).toBe("allowed");
});

test("a closed store answers unavailable", async () => {
  const store = createMemoryStore({ clock: new ManualClock() });
  await store.close();
  expect(await store.check(visitor("a"))).toMatchObject({ reason: "disconnected" });
});
