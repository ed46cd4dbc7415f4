import type { BucketState } from "./bucket";

/**
 * The packed value of a state key: records one after another, little-endian.
 *
 *     kind u8 | size u8 | slot u32 | fullAt u32 | level f64 | time f64 [| outstanding f64]
 *
 * kind 1 = token bucket, 2 = token bucket with leases out. `size` counts the whole record, so a reader skips
 * kinds that it does not know. `fullAt` is unix seconds, rounded up: until then a record outlives calls that
 * do not carry its rule. f64 holds whole numbers exactly to 2^53. The layout's number is in the key (`hg:<env>:1:`).
 */
export type BucketRecord = {
  slot: number;
  /** Unix seconds. */
  fullAt: number;
  state: BucketState;
};

export type StateRecord =
  | ({ kind: "token-bucket" } & BucketRecord)
  /** Written by a newer build: kept byte for byte until `fullAt`. */
  | { kind: "unknown"; slot: number; fullAt: number; bytes: Uint8Array };

const TOKEN_BUCKET = 1;
const TOKEN_BUCKET_LEASED = 2;
const HEAD_SIZE = 10;
const PLAIN_SIZE = 26;
const LEASED_SIZE = 34;

export function encodeRecords(records: readonly StateRecord[]): Uint8Array {
  const size = records.reduce((sum, record) => sum + sizeOf(record), 0);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const record of records) {
    if (record.kind === "unknown") {
      bytes.set(record.bytes, at);
    } else {
      const { slot, fullAt, state } = record;
      const leased = state.outstanding > 0;
      view.setUint8(at, leased ? TOKEN_BUCKET_LEASED : TOKEN_BUCKET);
      view.setUint8(at + 1, sizeOf(record));
      view.setUint32(at + 2, slot, true);
      view.setUint32(at + 6, fullAt, true);
      view.setFloat64(at + 10, state.level, true);
      view.setFloat64(at + 18, state.timeUs, true);
      if (leased) view.setFloat64(at + 26, state.outstanding, true);
    }
    at += sizeOf(record);
  }
  return bytes;
}

/** Reads up to the first record that does not fit; a damaged tail counts as absent, that is full. */
export function decodeRecords(bytes: Uint8Array): StateRecord[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: StateRecord[] = [];
  let at = 0;
  while (at + HEAD_SIZE <= bytes.length) {
    const kind = view.getUint8(at);
    const size = view.getUint8(at + 1);
    if (size < HEAD_SIZE || at + size > bytes.length) break;
    const slot = view.getUint32(at + 2, true);
    const fullAt = view.getUint32(at + 6, true);
    if (
      (kind === TOKEN_BUCKET && size === PLAIN_SIZE) ||
      (kind === TOKEN_BUCKET_LEASED && size === LEASED_SIZE)
    ) {
      const state: BucketState = {
        level: view.getFloat64(at + 10, true),
        timeUs: view.getFloat64(at + 18, true),
        outstanding: kind === TOKEN_BUCKET_LEASED ? view.getFloat64(at + 26, true) : 0,
      };
      records.push({ kind: "token-bucket", slot, fullAt, state });
    } else {
      records.push({ kind: "unknown", slot, fullAt, bytes: bytes.slice(at, at + size) });
    }
    at += size;
  }
  return records;
}

function sizeOf(record: StateRecord): number {
  if (record.kind === "unknown") return record.bytes.length;
  return record.state.outstanding > 0 ? LEASED_SIZE : PLAIN_SIZE;
}
