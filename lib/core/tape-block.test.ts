import { deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  decodeTapeBlock,
  encodeTapeBlock,
  TAPE_REQUESTS_MAX,
  type TapeRequest,
} from "./tape-block";

const START_US = Date.UTC(2026, 10, 30) * 1000;

function requestOf(n: number, changes: Partial<TapeRequest> = {}): TapeRequest {
  return {
    atUs: START_US + n * 997,
    client: `key:k${n % 50}`,
    plan: n % 3 === 0 ? "free" : "pro",
    customer: n % 5 === 0 ? null : `c${n % 50}`,
    ip: `198.51.100.${n % 50}`,
    method: "GET",
    route: "/v1/messages/{id}",
    refused: n % 7 === 0,
    preflight: n % 11 === 0,
    ...changes,
  };
}

test("what was encoded is decoded, times that go backwards and odd texts too", () => {
  const requests = [
    requestOf(9),
    requestOf(1),
    requestOf(1, {
      client: "ip:2001:db8::1",
      ip: "2001:db8::1",
      route: "/späti/{🦊}",
      customer: "",
    }),
    requestOf(700_000_000),
    requestOf(14, { preflight: true }),
    requestOf(14, { refused: false, preflight: true }),
  ];
  expect(decodeTapeBlock(encodeTapeBlock(requests))).toEqual(requests);
  expect(decodeTapeBlock(encodeTapeBlock([]))).toEqual([]);
});

test("a request of a steady client costs under three bytes, compressed", () => {
  const requests = Array.from({ length: 10_000 }, (_, n) => requestOf(n));
  expect(deflateRawSync(encodeTapeBlock(requests)).length / requests.length).toBeLessThan(3);
});

test("a block that is cut at any byte is refused, as is one with bytes after it", () => {
  const block = encodeTapeBlock([requestOf(1), requestOf(2)]);
  for (let length = 0; length < block.length; length += 1)
    expect(() => decodeTapeBlock(block.subarray(0, length))).toThrow(
      "the tape block cannot be read",
    );
  expect(() => decodeTapeBlock(Uint8Array.from([...block, 0]))).toThrow("bytes follow");
});

test("a count that no gateway writes is refused before anything is made of it", () => {
  expect(() => decodeTapeBlock(Uint8Array.from([1, 255, 255, 255, 255, 127, 0]))).toThrow(
    `at most ${TAPE_REQUESTS_MAX} requests`,
  );
  expect(() => decodeTapeBlock(Uint8Array.from([2, 0, 0]))).toThrow("its format must be 1, got 2");
});
