import type { ClientId } from "@/lib/core/client-id";
import type { DirectoryEntry, DirectoryHead } from "@/lib/core/directory";
import { type LineReader, readLines, type Span } from "@/lib/core/directory-lines";
import { chunksOf } from "./directory-chunks";
import { createFingerprintTable, fingerprintHex } from "./fingerprint-table";
import { createNameTable } from "./name-table";
import { createOverrideTable, type Override } from "./override-table";

export type KnownKey = { client: ClientId; customer: string; plan: string | null };

/**
 * The directory in memory, some 45 bytes a key outside the heap. Names that were removed keep their place until a
 * base is loaded anew.
 */
export type DirectoryIndex = {
  /** By a key's keyed hash, hex or bytes; null when unknown, removed or expired. */
  findKey(hash: string | Buffer, nowMs: number): KnownKey | null;
  /** By a key's id: whose it is; null when there is no such key, or no longer. */
  customerOf(keyId: string): string | null;
  /** Null for a customer that is not there. */
  planOf(customer: string): string | null;
  /** The client's override of a rule that has not expired. */
  findOverride(client: ClientId, rule: string, nowMs: number): Override | null;
  hasOverrides(client: ClientId): boolean;
  apply(entry: DirectoryEntry): void;
  /** A base's chunk: see directory-lines. Throws `unavailable` when it is none. */
  load(chunk: Uint8Array): void;
  /** Everything in it as a base's chunks. Nothing may be applied before the last was taken. */
  chunks(): Generator<Uint8Array>;
  size(): { keys: number; customers: number; overrides: number };
  /** What another one with the same in it has to expect. */
  expected(): DirectoryHead["expected"];
  /** Outside the heap. */
  bytes(): number;
};

/** `expected` is a guess that saves growing on the way. */
export function createDirectoryIndex(expected?: DirectoryHead["expected"]): DirectoryIndex {
  const names = createNameTable({ expected: expected?.names });
  const keys = createFingerprintTable({ expected: expected?.keys });
  const overrides = createOverrideTable();
  /** Hashes that were rotated out, by fingerprint: few at a time. */
  const expiresAtMs = new Map<string, number>();
  /** A plan's number is its place; 0 is none. */
  const plans: (string | null)[] = [null];
  const planNumbers = new Map<string, number>();
  let customers = 0;

  function planNumber(plan: string): number {
    const known = planNumbers.get(plan);
    if (known !== undefined) return known;
    planNumbers.set(plan, plans.length);
    return plans.push(plan) - 1;
  }

  function setPlan(customer: number, plan: number): void {
    const before = names.plan(customer);
    if (before === 0 && plan !== 0) customers += 1;
    if (before !== 0 && plan === 0) customers -= 1;
    names.setPlan(customer, plan);
  }

  function putKey(a: number, b: number, c: number, name: number, customer: number): void {
    const before = keys.put(a, b, c, name);
    names.setCustomer(name, customer);
    if (before === name) return;
    names.setHashes(name, names.hashes(name) + 1);
    if (before !== 0) names.setHashes(before, names.hashes(before) - 1);
  }

  function setExpiry(a: number, b: number, c: number, atMs: number | null): void {
    if (atMs !== null) expiresAtMs.set(fingerprintHex(a, b, c), atMs);
    else if (expiresAtMs.size > 0) expiresAtMs.delete(fingerprintHex(a, b, c));
  }

  function forgetKey(a: number, b: number, c: number): void {
    const name = keys.remove(a, b, c);
    if (name === 0) return;
    names.setHashes(name, names.hashes(name) - 1);
    setExpiry(a, b, c, null);
  }

  function isExpired(a: number, b: number, c: number, nowMs: number): boolean {
    const endMs = expiresAtMs.get(fingerprintHex(a, b, c));
    return endMs !== undefined && endMs <= nowMs;
  }

  function interned(text: string): number {
    const bytes = Buffer.from(text, "latin1");
    return names.intern(bytes, 0, bytes.length);
  }

  function apply(entry: DirectoryEntry): void {
    switch (entry.type) {
      case "key": {
        const [a, b, c] = wordsOf(entry.hash);
        if (entry.removed) forgetKey(a, b, c);
        else {
          putKey(a, b, c, interned(entry.id), interned(entry.customer));
          setExpiry(a, b, c, entry.expiresAtMs ?? null);
        }
        return;
      }
      case "customer": {
        const name = entry.removed ? names.find(entry.id) : interned(entry.id);
        if (name !== 0) setPlan(name, entry.removed ? 0 : planNumber(entry.plan));
        return;
      }
      case "override": {
        const { id, client, rule, limit, expiresAtMs: endMs } = entry;
        if (entry.removed) overrides.remove(id);
        else overrides.put({ id, client, rule, limit, expiresAtMs: endMs });
        return;
      }
    }
  }

  const lines: LineReader = {
    customer: (bytes, id, plan) => {
      const name = names.intern(bytes, id.from, id.to);
      setPlan(name, planNumber(planText(bytes, plan)));
    },
    key: (bytes, words, id, customer, endMs) => {
      const a = words[0] ?? 0;
      const b = words[1] ?? 0;
      const c = words[2] ?? 0;
      const name = names.intern(bytes, id.from, id.to);
      const owner = customer === id ? name : names.intern(bytes, customer.from, customer.to);
      putKey(a, b, c, name, owner);
      setExpiry(a, b, c, endMs);
    },
    override: apply,
  };

  return {
    findKey: (hash, nowMs) => {
      const bytes = typeof hash === "string" ? Buffer.from(hash, "hex") : hash;
      const a = bytes.readInt32BE(0);
      const b = bytes.readInt32BE(4);
      const c = bytes.readInt32BE(8);
      const name = keys.find(a, b, c);
      if (name === 0) return null;
      if (expiresAtMs.size > 0 && isExpired(a, b, c, nowMs)) {
        forgetKey(a, b, c);
        return null;
      }
      const customer = names.customer(name);
      const plan = plans[names.plan(customer)] ?? null;
      const id = names.text(name);
      return {
        client: `key:${id}`,
        customer: customer === name ? id : names.text(customer),
        plan,
      };
    },
    customerOf: (keyId) => {
      const name = names.find(keyId);
      return name === 0 || names.hashes(name) === 0 ? null : names.text(names.customer(name));
    },
    planOf: (customer) => {
      const name = names.find(customer);
      return name === 0 ? null : (plans[names.plan(name)] ?? null);
    },
    findOverride: overrides.find,
    hasOverrides: overrides.has,
    apply,
    load: (chunk) => readLines(chunk, lines),
    chunks: () => chunksOf({ names, keys, overrides, plans, expiresAtMs }),
    size: () => ({ keys: keys.size(), customers, overrides: overrides.size() }),
    expected: () => ({ keys: keys.size(), names: names.size() }),
    bytes: () => names.bytes() + keys.bytes(),
  };
}

function wordsOf(hash: string): [number, number, number] {
  const word = (i: number) => Number.parseInt(hash.slice(i * 8, i * 8 + 8), 16) | 0;
  return [word(0), word(1), word(2)];
}

function planText(bytes: Uint8Array, { from, to }: Span): string {
  let text = "";
  for (let i = from; i < to; i += 1) text += String.fromCharCode(bytes[i] ?? 0);
  return text;
}
