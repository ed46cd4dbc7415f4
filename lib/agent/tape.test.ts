import { inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { ManualClock } from "../clock";
import { drawOf } from "../core/share";
import { decodeTapeBlock } from "../core/tape-block";
import { factsOf } from "../testing/rules";
import { createTape, type TapeBlock, type TapedRequest, type TapeSettings } from "./tape";

const ALL: TapeSettings = { enabled: true, percent: 100, maxPerClientPerMinute: 1_000 };

function requestOf(key: string): TapedRequest {
  const { identity } = factsOf({ key });
  return { identity, method: "GET", route: "/v1/messages", verdict: "allowed" };
}

function requestsOf(block: TapeBlock | null) {
  return block === null ? [] : decodeTapeBlock(inflateRawSync(block.bytes));
}

test("every gateway has the same clients on tape, each with all its requests", () => {
  const settings = { ...ALL, percent: 10 };
  const keys = Array.from({ length: 500 }, (_, n) => `k${n}`);
  const [one, other] = [keys, keys.toReversed()].map((order) => {
    const tape = createTape({ clock: new ManualClock() });
    for (const key of [...order, ...order]) tape.record(requestOf(key), settings);
    return requestsOf(tape.take()).map(({ client }) => client);
  });
  const expected = keys
    .map((key) => `key:${key}`)
    .filter((client) => drawOf("_tape", client) < 1000);
  expect(expected.length).toBeGreaterThan(0);
  expect(one?.toSorted()).toEqual([...expected, ...expected].toSorted());
  expect(other?.toSorted()).toEqual(one?.toSorted());
});

test("what goes beyond the cap of a client and minute is dropped and counted", () => {
  const clock = new ManualClock();
  const tape = createTape({ clock });
  const settings = { ...ALL, maxPerClientPerMinute: 2 };
  for (let n = 0; n < 5; n += 1) tape.record(requestOf("k1"), settings);
  tape.record(requestOf("k2"), settings);
  expect(tape.take()).toMatchObject({ requests: 3, dropped: 3, percent: 100 });
  expect(tape.take()).toBeNull();
  clock.advance(60_000);
  tape.record(requestOf("k1"), settings);
  expect(tape.take()).toMatchObject({ requests: 1, dropped: 0 });
});

test("the address of a client that is a whole IPv6 network is kept whole", () => {
  const tape = createTape({ clock: new ManualClock() });
  const { identity } = factsOf({ ip: "2001:db8::7" });
  tape.record({ identity, method: "GET", route: "other", verdict: "allowed" }, ALL);
  expect(identity.client).toBe("ip:2001:db8::/64");
  expect(requestsOf(tape.take())).toMatchObject([{ ip: "2001:db8::7" }]);
});

test("a tape that is off keeps nothing", () => {
  const tape = createTape({ clock: new ManualClock() });
  tape.record(requestOf("k1"), { ...ALL, enabled: false });
  tape.record(requestOf("k1"), { ...ALL, percent: 0 });
  expect(tape.take()).toBeNull();
});
