import type { BucketState, Leases } from "./bucket";

/**
 * The packed value of a state key: records one after another, little-endian.
 *
 *     kind u8 | size u8 | slot u32 | fullAt u32 | level f64 | time f64 [| more]
 *
 * kind 1 = token bucket; 2 = token bucket with leases out, more = current f64, previous f64, generation u32;
 * 3 = fixed window; 4 = sliding window, more = previous f64. `size` counts the whole record, so a reader skips
 * kinds that it does not know. `fullAt` is unix seconds, rounded up: until then a record outlives calls that
 * do not carry its rule. f64 holds whole numbers exactly to 2^53. The layout's number is in the key (`hg:<env>:1:`).
 * Requests in flight are not in it: each lies in a sorted set of its bucket, under the end of its lease.
 */
export type BucketRecord = {
  slot: number;
  /** Unix seconds. */
  fullAt: number;
  state: BucketState;
};

export type RecordKind = "token-bucket" | "fixed-window" | "sliding-window";

export type StateRecord =
  | ({ kind: RecordKind } & BucketRecord)
  /** The ends of leases (µs) by id; kept in a sorted set. */
  | { kind: "concurrency"; slot: number; fullAt: number; leases: ReadonlyMap<string, number> }
  /** Written by a newer build: kept byte for byte until `fullAt`. */
  | { kind: "unknown"; slot: number; fullAt: number; bytes: Uint8Array };

const TOKEN_BUCKET = 1;
const TOKEN_BUCKET_LEASED = 2;
const FIXED_WINDOW = 3;
const SLIDING_WINDOW = 4;
const HEAD_SIZE = 10;
const SIZES: Record<number, number> = {
  [TOKEN_BUCKET]: 26,
  [TOKEN_BUCKET_LEASED]: 46,
  [FIXED_WINDOW]: 26,
  [SLIDING_WINDOW]: 34,
};
const KINDS: Record<number, RecordKind> = {
  [TOKEN_BUCKET]: "token-bucket",
  [TOKEN_BUCKET_LEASED]: "token-bucket",
  [FIXED_WINDOW]: "fixed-window",
  [SLIDING_WINDOW]: "sliding-window",
};

/** Throws on requests in flight, which are no packed record. */
export function encodeRecords(records: readonly StateRecord[]): Uint8Array {
  const size = records.reduce((sum, record) => sum + sizeOf(record), 0);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const record of records) {
    if (record.kind === "unknown") bytes.set(record.bytes, at);
    else if (record.kind !== "concurrency") writeRecord(view, at, record);
    at += sizeOf(record);
  }
  return bytes;
}

function writeRecord(
  view: DataView,
  at: number,
  record: BucketRecord & { kind: RecordKind },
): void {
  const { slot, fullAt, state } = record;
  const code = codeOf(record);
  view.setUint8(at, code);
  view.setUint8(at + 1, SIZES[code] ?? 0);
  view.setUint32(at + 2, slot, true);
  view.setUint32(at + 6, fullAt, true);
  view.setFloat64(at + 10, state.level, true);
  view.setFloat64(at + 18, state.timeUs, true);
  if (code === SLIDING_WINDOW) view.setFloat64(at + 26, state.previous, true);
  if (code !== TOKEN_BUCKET_LEASED || state.leases === null) return;
  view.setFloat64(at + 26, state.leases.current, true);
  view.setFloat64(at + 34, state.leases.previous, true);
  view.setUint32(at + 42, state.leases.generation, true);
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
    const known = KINDS[kind];
    if (known !== undefined && SIZES[kind] === size) {
      const state: BucketState = {
        level: view.getFloat64(at + 10, true),
        timeUs: view.getFloat64(at + 18, true),
        previous: kind === SLIDING_WINDOW ? view.getFloat64(at + 26, true) : 0,
        leases: kind === TOKEN_BUCKET_LEASED ? readLeases(view, at) : null,
      };
      records.push({ kind: known, slot, fullAt, state });
    } else {
      records.push({ kind: "unknown", slot, fullAt, bytes: bytes.slice(at, at + size) });
    }
    at += size;
  }
  return records;
}

/** Bytes of a record of a token bucket without leases. */
export const PLAIN_SIZE = 26;

/**
 * The plain token bucket's record at an offset, without the objects that decodeRecords makes: undefined if another
 * record stands there.
 */
export function plainRecordAt(view: DataView, at: number, slot: number): BucketRecord | undefined {
  if (view.getUint16(at, true) !== PLAIN_HEAD || view.getUint32(at + 2, true) !== slot)
    return undefined;
  const level = view.getFloat64(at + 10, true);
  const timeUs = view.getFloat64(at + 18, true);
  const fullAt = view.getUint32(at + 6, true);
  return { slot, fullAt, state: { level, timeUs, previous: 0, leases: null } };
}

const PLAIN_HEAD = PLAIN_SIZE * 256 + TOKEN_BUCKET;

function readLeases(view: DataView, at: number): Leases {
  return {
    current: view.getFloat64(at + 26, true),
    previous: view.getFloat64(at + 34, true),
    generation: view.getUint32(at + 42, true),
  };
}

function codeOf({ kind, state }: BucketRecord & { kind: RecordKind }): number {
  if (kind === "fixed-window") return FIXED_WINDOW;
  if (kind === "sliding-window") return SLIDING_WINDOW;
  return state.leases === null ? TOKEN_BUCKET : TOKEN_BUCKET_LEASED;
}

function sizeOf(record: StateRecord): number {
  if (record.kind === "unknown") return record.bytes.length;
  if (record.kind === "concurrency")
    throw new RangeError("requests in flight are no packed record");
  return SIZES[codeOf(record)] ?? 0;
}
