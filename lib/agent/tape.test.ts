import { inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { ManualClock } from "../clock";
import { drawOf } from "../core/share";
import { decodeTapeBlock } from "../core/tape-block";
import type { TapeEntry } from "../core/tape-entry";
import type { TapeSettings } from "../core/tape-settings";
import { createLog } from "../log";
import { factsOf } from "../testing/rules";
import { createTape, type TapedRequest } from "./tape";
import { createTapeSender } from "./tape-sender";

const ALL: TapeSettings = { enabled: true, percent: 100, maxPerClientPerMinute: 1_000 };
const log = createLog({ name: "test", level: "silent" });

function requestOf(key: string): TapedRequest {
  const { identity } = factsOf({ key });
  return { identity, method: "GET", route: "/v1/messages", verdict: "allowed", preflight: false };
}

function openTape(clock = new ManualClock()) {
  let full = 0;
  const tape = createTape({
    clock,
    onFull: () => {
      full += 1;
    },
  });
  return { tape, clock, full: () => full };
}

test("every gateway has the same clients on tape, each with all its requests", () => {
  const settings = { ...ALL, percent: 10 };
  const keys = Array.from({ length: 500 }, (_, n) => `k${n}`);
  const [one, other] = [keys, keys.toReversed()].map((order) => {
    const { tape } = openTape();
    for (const key of [...order, ...order]) tape.record(requestOf(key), settings);
    return tape.take().flatMap(({ requests }) => requests.map(({ client }) => client));
  });
  const expected = keys
    .map((key) => `key:${key}`)
    .filter((client) => drawOf("_tape", client) < 1000);
  expect(expected.length).toBeGreaterThan(0);
  expect(one?.toSorted()).toEqual([...expected, ...expected].toSorted());
  expect(other?.toSorted()).toEqual(one?.toSorted());
});

test("what goes beyond the cap of a client and minute is dropped and counted", () => {
  const { tape, clock } = openTape();
  const settings = { ...ALL, maxPerClientPerMinute: 2 };
  for (let n = 0; n < 5; n += 1) tape.record(requestOf("k1"), settings);
  tape.record(requestOf("k2"), settings);
  const [block] = tape.take();
  expect(block).toMatchObject({ dropped: 3, percent: 100 });
  expect(block?.requests).toHaveLength(3);
  expect(tape.take()).toEqual([]);
  clock.advance(60_000);
  tape.record(requestOf("k1"), settings);
  expect(tape.take()).toMatchObject([{ dropped: 0 }]);
  expect(tape.counts()).toEqual({ recorded: 4, dropped: 3 });
});

test("a change of the share ends the block, so that each block is of one share", () => {
  const { tape, clock } = openTape();
  tape.record(requestOf("k1"), ALL);
  clock.advance(500);
  const draws = Array.from({ length: 100 }, (_, n) => `k${n}`);
  const taped = draws.find((key) => drawOf("_tape", `key:${key}`) < 5_000) ?? "";
  tape.record(requestOf(taped), { ...ALL, percent: 50 });
  expect(tape.take().map(({ percent, requests }) => [percent, requests.length])).toEqual([
    [100, 1],
    [50, 1],
  ]);
});

test("a block that is full is closed, one that is young stays open, and what nobody takes is bounded", () => {
  const { tape, clock, full } = openTape();
  for (let n = 0; n < 2_001; n += 1) tape.record(requestOf(`k${n}`), ALL);
  expect(full()).toBe(1);
  expect(tape.take(5_000).map(({ requests }) => requests.length)).toEqual([2_000]);
  clock.advance(5_000);
  expect(tape.take(5_000).map(({ requests }) => requests.length)).toEqual([1]);

  for (let n = 0; n < 60_000; n += 1) {
    if (n % 10_000 === 0) clock.advance(60_000);
    tape.record(requestOf(`k${n % 100}`), ALL);
  }
  const blocks = tape.take();
  const kept = blocks.reduce((sum, { requests }) => sum + requests.length, 0);
  const dropped = blocks.reduce((sum, block) => sum + block.dropped, 0);
  expect(kept).toBe(40_000);
  expect(kept + dropped).toBe(60_000);
});

test("the address of a client that is a whole IPv6 network is kept whole", () => {
  const { tape } = openTape();
  const { identity } = factsOf({ ip: "2001:db8::7" });
  const request = { identity, method: "OPTIONS", route: "other", verdict: "refused" } as const;
  tape.record({ ...request, preflight: true }, ALL);
  expect(identity.client).toBe("ip:2001:db8::/64");
  const [block] = tape.take();
  expect(block?.requests).toMatchObject([{ ip: "2001:db8::7", refused: true, preflight: true }]);
});

test("a tape that is off keeps nothing", () => {
  const { tape } = openTape();
  tape.record(requestOf("k1"), { ...ALL, enabled: false });
  expect(tape.take()).toEqual([]);
});

type Taken = { sequence: number; clients: string[]; dropped: number };

function sender({ fails, keptBytesMax }: { fails: () => boolean; keptBytesMax?: number }) {
  const taken: Taken[] = [];
  const append = async ({ sequence, dropped, bytes }: TapeEntry) => {
    if (fails()) throw new Error("Redis is away");
    const requests = decodeTapeBlock(inflateRawSync(Buffer.from(bytes, "base64")));
    taken.push({ sequence, dropped, clients: requests.map(({ client }) => client) });
  };
  const bounds = keptBytesMax === undefined ? {} : { keptBytesMax };
  const where = { environment: "test", gateway: "gw-1", boot: "boot-0001" };
  return { taken, tape: createTapeSender({ ...where, append, log, ...bounds }) };
}

test("blocks wait while Redis is away and go in order, each under the number of its first try", async () => {
  let isAway = true;
  const { taken, tape } = sender({ fails: () => isAway });
  const recorder = openTape().tape;
  for (const key of ["k1", "k2", "k3"]) {
    recorder.record(requestOf(key), ALL);
    await tape.send(recorder.take());
  }
  expect(tape.waiting()).toBe(3);
  isAway = false;
  await tape.send([]);
  expect(taken).toEqual([
    { sequence: 1, clients: ["key:k1"], dropped: 0 },
    { sequence: 2, clients: ["key:k2"], dropped: 0 },
    { sequence: 3, clients: ["key:k3"], dropped: 0 },
  ]);
  expect(tape.waiting()).toBe(0);
});

test("what waits is bounded, and what is given up is told by the next block", async () => {
  let isAway = true;
  const { taken, tape } = sender({ fails: () => isAway, keptBytesMax: 1 });
  const recorder = openTape().tape;
  for (const key of ["k1", "k2", "k3", "k4"]) {
    recorder.record(requestOf(key), ALL);
    await tape.send(recorder.take());
  }
  expect(tape.dropped()).toBe(2);
  isAway = false;
  await tape.send([]);
  expect(taken).toEqual([
    { sequence: 1, clients: ["key:k1"], dropped: 0 },
    { sequence: 2, clients: ["key:k4"], dropped: 2 },
  ]);
});
