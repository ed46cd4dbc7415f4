import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeRecords, encodeRecords, type StateRecord } from "./record";

const u32 = fc.nat({ max: 4_294_967_295 });
const whole = fc.nat({ max: Number.MAX_SAFE_INTEGER });

const bucketRecord = fc
  .record({
    slot: u32,
    fullAt: u32,
    state: fc.record({
      level: whole,
      timeUs: whole,
      previous: fc.constant(0),
      leases: fc.option(fc.record({ generation: u32, current: whole, previous: whole })),
    }),
  })
  .map((record): StateRecord => ({ kind: "token-bucket", ...record }));

const windowRecord = fc
  .record({
    kind: fc.constantFrom("fixed-window" as const, "sliding-window" as const),
    slot: u32,
    fullAt: u32,
    level: whole,
    timeUs: whole,
    before: whole,
  })
  .map(({ kind, slot, fullAt, level, timeUs, before }): StateRecord => {
    const previous = kind === "sliding-window" ? before : 0;
    return { kind, slot, fullAt, state: { level, timeUs, previous, leases: null } };
  });

const unknownRecord = fc
  .record({
    kind: fc.integer({ min: 5, max: 255 }),
    slot: u32,
    fullAt: u32,
    rest: fc.uint8Array({ maxLength: 245 }),
  })
  .map(({ kind, slot, fullAt, rest }): StateRecord => {
    const bytes = new Uint8Array(10 + rest.length);
    const view = new DataView(bytes.buffer);
    view.setUint8(0, kind);
    view.setUint8(1, bytes.length);
    view.setUint32(2, slot, true);
    view.setUint32(6, fullAt, true);
    bytes.set(rest, 10);
    return { kind: "unknown", slot, fullAt, bytes };
  });

const records = fc.array(fc.oneof(bucketRecord, windowRecord, unknownRecord), { maxLength: 40 });

test("what was written is read, kinds of a newer build byte for byte", () => {
  fc.assert(
    fc.property(records, (all) => {
      const bytes = encodeRecords(all);
      expect(decodeRecords(bytes)).toEqual(all);
      expect(encodeRecords(decodeRecords(bytes))).toEqual(bytes);
    }),
  );
});

test("reading any bytes neither throws nor reads past the end", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const size = encodeRecords(decodeRecords(bytes)).length;
      expect(size).toBeLessThanOrEqual(bytes.length);
    }),
  );
});

test("a damaged tail counts as absent, what stands before it stays", () => {
  fc.assert(
    fc.property(records, fc.integer({ min: 1, max: 9 }), (all, cut) => {
      fc.pre(all.length > 0);
      const bytes = encodeRecords(all);
      expect(decodeRecords(bytes.subarray(0, bytes.length - cut))).toEqual(all.slice(0, -1));
    }),
  );
});

test("the layout is the documented one, 26 bytes a bucket and 34 with leases out", () => {
  const state = { level: 59_000_000, timeUs: 1_700_000_000_000_123, previous: 0, leases: null };
  const plain: StateRecord = { kind: "token-bucket", slot: 7, fullAt: 1_700_000_001, state };
  const bytes = Buffer.from(encodeRecords([plain]));
  expect(bytes).toHaveLength(26);
  expect([bytes[0], bytes[1], bytes.readUInt32LE(2), bytes.readUInt32LE(6)]).toEqual([
    1, 26, 7, 1_700_000_001,
  ]);
  expect([bytes.readDoubleLE(10), bytes.readDoubleLE(18)]).toEqual([state.level, state.timeUs]);
  const leases = { generation: 1_700_000_000, current: 5, previous: 3 };
  const leased = Buffer.from(encodeRecords([{ ...plain, state: { ...state, leases } }]));
  expect([leased.readDoubleLE(26), leased.readDoubleLE(34), leased.readUInt32LE(42)]).toEqual([
    5, 3, 1_700_000_000,
  ]);
  expect([leased[0], leased[1], leased.length]).toEqual([2, 46, 46]);
});

test("a known kind of another size is not read as a bucket", () => {
  const bytes = new Uint8Array(27);
  bytes.set([1, 27]);
  expect(decodeRecords(bytes)).toMatchObject([{ kind: "unknown" }]);
});

test("a slice of a larger buffer is read at its own offset", () => {
  const state = { level: 1, timeUs: 2, previous: 0, leases: null };
  const record: StateRecord = { kind: "token-bucket", slot: 3, fullAt: 4, state };
  const bytes = new Uint8Array(36);
  bytes.set(encodeRecords([record]), 10);
  expect(decodeRecords(bytes.subarray(10))).toEqual([record]);
});
