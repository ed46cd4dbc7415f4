import fc from "fast-check";
import { expect, test } from "vitest";
import type { DirectoryEntry } from "../core/directory";
import { entriesIn } from "../testing/directory";
import { createDirectoryIndex } from "./directory-index";
import { createFingerprintTable } from "./fingerprint-table";

// Few names and hashes, so that histories meet themselves; hashes that differ late, early and in one segment.
const HASHES = [
  ...Array.from(
    { length: 12 },
    (_, i) => `ab00000${(i % 4).toString(16)}${"0".repeat(14)}0${i.toString(16)}`,
  ),
  "0".repeat(24),
  "f".repeat(24),
  `ffffffff${"0".repeat(16)}`,
].map((start) => start.padEnd(64, "7"));
const NAMES = ["a", "b", "acme", "acme-2", "k-1", "z".repeat(63)];
const PLANS = ["free", "paid", "default"];

const name = fc.constantFrom(...NAMES);
const entry: fc.Arbitrary<DirectoryEntry> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        type: fc.constant("key" as const),
        hash: fc.constantFrom(...HASHES),
        keyId: fc.constant("11112222"),
        id: name,
        customer: name,
        expiresAtMs: fc.constantFrom(100, 200),
        removed: fc.constant(true),
      },
      { requiredKeys: ["type", "hash", "keyId", "id", "customer"] },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        type: fc.constant("customer" as const),
        id: name,
        plan: fc.constantFrom(...PLANS),
        removed: fc.constant(true),
      },
      { requiredKeys: ["type", "id", "plan"] },
    ),
  },
);
const reload = fc.constant("reload" as const);

/** What the index promises, with nothing clever in it. An id has one customer: the newest that was said. */
function createModel() {
  const keys = new Map<string, { id: string; expiresAtMs: number | undefined }>();
  const owners = new Map<string, string>();
  const plans = new Map<string, string>();
  return {
    apply: (entry: DirectoryEntry) => {
      if (entry.type === "customer") {
        if (entry.removed) plans.delete(entry.id);
        else plans.set(entry.id, entry.plan);
      } else if (entry.type === "key") {
        if (entry.removed) keys.delete(entry.hash);
        else {
          keys.set(entry.hash, { id: entry.id, expiresAtMs: entry.expiresAtMs });
          owners.set(entry.id, entry.customer);
        }
      }
    },
    findKey: (hash: string, nowMs: number) => {
      const held = keys.get(hash);
      if (held?.expiresAtMs !== undefined && held.expiresAtMs <= nowMs) keys.delete(hash);
      const id = keys.get(hash)?.id;
      const customer = id === undefined ? undefined : owners.get(id);
      if (customer === undefined) return null;
      return { client: `key:${id}`, customer, plan: plans.get(customer) ?? null };
    },
    customerOf: (id: string) =>
      [...keys.values()].some((key) => key.id === id) ? (owners.get(id) ?? null) : null,
    planOf: (customer: string) => plans.get(customer) ?? null,
    size: () => ({ keys: keys.size, customers: plans.size, overrides: 0 }),
  };
}

test("after any history it answers as maps would, also written out and read again midway", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 40, arbitrary: entry }, reload), { maxLength: 120 }),
      fc.constantFrom(0, 150, 250),
      (steps, nowMs) => {
        let index = createDirectoryIndex();
        const model = createModel();
        for (const step of steps) {
          if (step === "reload") {
            const again = createDirectoryIndex(index.expected());
            for (const chunk of index.chunks()) again.load(chunk);
            index = again;
            continue;
          }
          index.apply(step);
          model.apply(step);
        }
        for (const hash of HASHES)
          expect(index.findKey(hash, nowMs)).toEqual(model.findKey(hash, nowMs));
        for (const each of NAMES) {
          expect(index.customerOf(each)).toBe(model.customerOf(each));
          expect(index.planOf(each)).toBe(model.planOf(each));
        }
        expect(index.size()).toEqual(model.size());
      },
    ),
    { numRuns: 400 },
  );
});

test("more plans and more hashes of a key than a byte counts are told apart", () => {
  const index = createDirectoryIndex();
  const hashOf = (i: number) => i.toString(16).padStart(8, "0").repeat(8);
  const key = (i: number) =>
    ({ type: "key", hash: hashOf(i), keyId: "", id: "k", customer: "acme" }) as const;
  for (let i = 0; i < 600; i += 1) index.apply({ type: "customer", id: `c${i}`, plan: `p${i}` });
  for (let i = 0; i < 600; i += 1) expect(index.planOf(`c${i}`)).toBe(`p${i}`);
  index.apply({ type: "customer", id: "c599", plan: "p1" });
  expect(index.planOf("c599")).toBe("p1");
  for (let i = 0; i < 300; i += 1) index.apply(key(i));
  for (let i = 0; i < 299; i += 1) index.apply({ ...key(i), removed: true });
  expect(index.customerOf("k")).toBe("acme");
  index.apply({ ...key(299), removed: true });
  expect(index.customerOf("k")).toBeNull();
});

test("through growth and removal of thousands in one segment nothing is lost or found twice", () => {
  const index = createDirectoryIndex();
  const hashOf = (i: number) =>
    `07${((i * 2654435761) % 2 ** 24).toString(16).padStart(6, "0")}${i.toString(16).padStart(16, "0")}`;
  const key = (i: number) =>
    ({ type: "key", hash: hashOf(i), keyId: "", id: `k-${i}`, customer: `c-${i % 50}` }) as const;
  for (let i = 0; i < 5_000; i += 1) index.apply(key(i));
  for (let i = 0; i < 5_000; i += 3) index.apply({ ...key(i), removed: true });
  for (let i = 0; i < 5_000; i += 1) {
    const client = i % 3 === 0 ? null : `key:k-${i}`;
    expect(index.findKey(hashOf(i), 0)?.client ?? null).toBe(client);
    expect(index.customerOf(`k-${i}`)).toBe(client === null ? null : `c-${i % 50}`);
  }
  expect(new Set(entriesIn(index).map((each) => each.type === "key" && each.hash)).size).toBe(
    3_333,
  );
});

test("a segment that is being written out does not move under its writer", () => {
  const table = createFingerprintTable();
  // One home: taking the first away moves the others up.
  for (let b = 1; b <= 3; b += 1) table.put(0, b, 0, 100 + b);
  const [first] = table.segments();
  const before = [...(first ?? [])];
  table.remove(0, 1, 0);
  expect([...(first ?? [])]).toEqual(before);
  expect([1, 2, 3].map((b) => table.find(0, b, 0))).toEqual([0, 102, 103]);
});
