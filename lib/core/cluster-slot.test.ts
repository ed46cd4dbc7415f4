import { expect, test } from "vitest";
import { slotOf } from "./cluster-slot";

// The vectors of the Redis Cluster specification, and what CLUSTER KEYSLOT of Redis 7.0 answers.
test.each([
  ["123456789", 0x31c3],
  ["", 0],
  ["foo", 12182],
  ["foo{bar}baz", 5061],
  ["bar", 5061],
  ["foo{}{bar}", 8363],
  ["foo{{bar}}zap", 4015],
  ["foo{bar}{zap}", 5061],
  ["hg:test:1:{key:one}", 14056],
])("%s is in slot %i", (key, slot) => {
  expect(slotOf(key)).toBe(slot);
});
