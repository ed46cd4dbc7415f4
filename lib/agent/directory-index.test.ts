import { expect, test } from "vitest";
import type { DirectoryEntry } from "../core/directory";
import { entriesIn, indexOf } from "../testing/directory";
import { createDirectoryIndex } from "./directory-index";

const hash = "a".repeat(64);
const entries: DirectoryEntry[] = [
  { type: "customer", id: "acme", plan: "free" },
  { type: "key", hash, keyId: "11112222", id: "k1", customer: "acme" },
  {
    type: "override",
    id: "o1",
    client: "key:k1",
    rule: "per-key",
    limit: { rate: 5, per: "1m", burst: 5 },
    expiresAtMs: 1_000,
  },
];
const base = { environment: "test", epoch: 1, seq: 1, entries };

test("the newest entry about a subject holds, removed ones are gone", () => {
  const index = indexOf(base);
  expect(index.findKey(hash, 0)).toMatchObject({ client: "key:k1", customer: "acme" });
  expect(index.planOf("acme")).toBe("free");
  index.apply({ type: "customer", id: "acme", plan: "paid" });
  expect(index.planOf("acme")).toBe("paid");
  index.apply({ type: "key", hash, keyId: "11112222", id: "k1", customer: "acme", removed: true });
  expect(index.findKey(hash, 0)).toBeNull();
});

test("a key is found by its id while one of its hashes is there", () => {
  const key = { type: "key", keyId: "11112222", id: "k1", customer: "acme" } as const;
  const [first, second] = [hash, "b".repeat(64)];
  for (const isAskedBefore of [true, false]) {
    const index = indexOf(base);
    if (isAskedBefore) expect(index.customerOf("k1")).toBe("acme");
    index.apply({ ...key, hash: second });
    index.apply({ ...key, hash: second });
    index.apply({ ...key, hash: first, removed: true });
    expect(index.customerOf("k1")).toBe("acme");
    index.apply({ ...key, hash: second, customer: "bolt" });
    expect(index.customerOf("k1")).toBe("bolt");
    index.apply({ ...key, hash: second, removed: true });
    index.apply({ ...key, hash: second, removed: true });
    expect(index.customerOf("k1")).toBeNull();
    expect(index.customerOf("constructor")).toBeNull();
  }
});

test("an override ends by the clock, and is not revived by going back", () => {
  const index = indexOf(base);
  expect(index.findOverride("key:k1", "per-key", 999)).toMatchObject({ limit: { rate: 5 } });
  expect(index.findOverride("key:k1", "another", 999)).toBeNull();
  expect(index.findOverride("key:k1", "per-key", 1_000)).toBeNull();
  expect(index.findOverride("key:k1", "per-key", 500)).toBeNull();
  expect(index.hasOverrides("key:k1")).toBe(false);
});

test("removing an override leaves the one that took its place", () => {
  const index = indexOf(base);
  const [, , first] = entries;
  if (first?.type !== "override") throw new Error("an override is needed");
  index.apply({ ...first, id: "o2", expiresAtMs: 5_000 });
  index.apply({ ...first, removed: true });
  expect(index.findOverride("key:k1", "per-key", 2_000)).toMatchObject({ limit: { rate: 5 } });
});

test("what it holds, written out and read again, is the same", () => {
  const index = indexOf(base);
  const again = createDirectoryIndex(index.expected());
  for (const chunk of index.chunks()) again.load(chunk);
  expect(entriesIn(again)).toEqual(entriesIn(index));
  expect(entriesIn(again)).toHaveLength(3);
});

test("a hash that was rotated out ends by the clock, and the key lives on under its new one", () => {
  const index = indexOf(base);
  const key = { type: "key", keyId: "11112222", id: "k1", customer: "acme" } as const;
  index.apply({ ...key, hash: "b".repeat(64) });
  index.apply({ ...key, hash, expiresAtMs: 1_000 });
  expect(index.findKey(hash, 999)).toMatchObject({ client: "key:k1", plan: "free" });
  expect(index.findKey(hash, 1_000)).toBeNull();
  expect(index.findKey(hash, 500)).toBeNull();
  expect(index.findKey("b".repeat(64), 5_000)).toMatchObject({ client: "key:k1" });
});
