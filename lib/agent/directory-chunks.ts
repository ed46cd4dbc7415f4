import { CHUNK_BYTES, linesOf } from "@/lib/core/directory-lines";
import { type FingerprintTable, fingerprintHex } from "./fingerprint-table";
import type { NameTable } from "./name-table";
import type { OverrideTable } from "./override-table";

type Held = {
  names: NameTable;
  keys: FingerprintTable;
  overrides: OverrideTable;
  plans: readonly (string | null)[];
  expiresAtMs: ReadonlyMap<string, number>;
};

/** The longest line of a customer or key: two names, a fingerprint, an instant. */
const LINE_MAX = 256;
const HEX = Buffer.from("0123456789abcdef", "latin1");

/**
 * What is held as lines, written from the tables' bytes: millions of texts would take longer than all the rest. Keys
 * may change between two chunks; each is of some moment since the first.
 */
export function* chunksOf({
  names,
  keys,
  overrides,
  plans,
  expiresAtMs,
}: Held): Generator<Uint8Array> {
  let out = Buffer.allocUnsafe(CHUNK_BYTES + LINE_MAX);
  let at = 0;

  function take(): Uint8Array {
    const chunk = out.subarray(0, at);
    out = Buffer.allocUnsafe(CHUNK_BYTES + LINE_MAX);
    at = 0;
    return chunk;
  }

  for (const name of names.names()) {
    const plan = plans[names.plan(name)] ?? null;
    if (plan === null) continue;
    at = names.copy(name, out, start("c"));
    end(` ${plan}`);
    if (at > CHUNK_BYTES) yield take();
  }
  for (const words of keys.segments()) {
    for (let i = 0; i < words.length; i += 4) {
      const name = words[i] ?? 0;
      if (name === 0) continue;
      at = start("k");
      for (let word = 1; word < 4; word += 1) hex(words[i + word] ?? 0);
      out[at] = 32;
      at = names.copy(name, out, at + 1);
      const customer = names.customer(name);
      if (customer !== name) {
        out[at] = 32;
        at = names.copy(customer, out, at + 1);
      }
      end(expiresAtMs.size === 0 ? "" : expiryOf(words, i));
      if (at > CHUNK_BYTES) yield take();
    }
  }
  if (at > 0) yield take();
  yield* linesOf([...overrides.all()].map((override) => ({ type: "override", ...override })));

  function start(kind: "c" | "k"): number {
    out[at] = kind === "c" ? 99 : 107;
    out[at + 1] = 32;
    return at + 2;
  }

  function end(text: string): void {
    at += out.write(`${text}\n`, at, "latin1");
  }

  function hex(word: number): void {
    for (let shift = 28; shift >= 0; shift -= 4) {
      out[at] = HEX[(word >>> shift) & 15] ?? 0;
      at += 1;
    }
  }

  function expiryOf(words: Int32Array, i: number): string {
    const [a = 0, b = 0, c = 0] = words.subarray(i + 1, i + 4);
    const endMs = expiresAtMs.get(fingerprintHex(a, b, c));
    return endMs === undefined ? "" : ` @${endMs}`;
  }
}
