import { describe, expect, test } from "vitest";
import { type CoverageInput, measureCoverage } from "./measure-coverage";

const MINUTE = 60_000;
const start = Date.UTC(2026, 0, 1, 12);
const at = (minutes: number, seconds = 0) => start + minutes * MINUTE + seconds * 1000;

function minutesOf(gateway: string, minutes: readonly number[], fields = {}) {
  return minutes.map((minute) => ({
    minute: start / MINUTE + minute,
    gateway,
    requests: 60,
    batches: 60,
    missingBatches: 0,
    droppedRequests: 0,
    droppedClients: 0,
    ...fields,
  }));
}

function gateway(id: string, fields = {}): CoverageInput["gateways"][number] {
  const seen = { firstSeenMs: at(-60), lastSeenMs: at(10), drainedMs: null, rests: [] };
  return { id, state: "live", ...seen, ...fields };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

const input: CoverageInput = {
  fromMs: at(0),
  toMs: at(10),
  nowMs: at(10),
  spans: [{ fromMs: at(0), toMs: Number.POSITIVE_INFINITY }],
  gateways: [gateway("gw-1"), gateway("gw-2")],
  minutes: [...minutesOf("gw-1", range(0, 10)), ...minutesOf("gw-2", range(0, 10))],
};

test("two gateways that reported each minute are both reporting", () => {
  expect(measureCoverage(input)).toMatchObject({
    seconds: 600,
    gateways: 2,
    reporting: 2,
    dropped: 0,
    droppedShare: 0,
    lastReportMs: at(10),
  });
});

test("no report at all is said so, not counted as nothing", () => {
  expect(measureCoverage({ ...input, minutes: [] })).toMatchObject({
    seconds: 0,
    gateways: 2,
    reporting: 0,
    lastReportMs: null,
  });
});

describe("who should have reported", () => {
  test.each<[string, Partial<CoverageInput>, { gateways: number; reporting: number }]>([
    [
      "a minute without a report",
      {
        minutes: [
          ...minutesOf("gw-1", [0, 1, 2, 4, 5, 6, 7, 8, 9]),
          ...minutesOf("gw-2", range(0, 10)),
        ],
      },
      { gateways: 2, reporting: 1 },
    ],
    [
      "a gateway that fell silent",
      {
        gateways: [gateway("gw-1"), gateway("gw-2", { state: "silent", lastSeenMs: at(5) })],
        minutes: [...minutesOf("gw-1", range(0, 10)), ...minutesOf("gw-2", range(0, 5))],
      },
      { gateways: 2, reporting: 1 },
    ],
    [
      "a drained one need not go on",
      {
        gateways: [gateway("gw-1"), gateway("gw-2", { state: "drained", drainedMs: at(5, 20) })],
        minutes: [...minutesOf("gw-1", range(0, 10)), ...minutesOf("gw-2", range(0, 6))],
      },
      { gateways: 2, reporting: 2 },
    ],
    [
      "one that was stopped in order and came back need not report in between",
      {
        gateways: [
          gateway("gw-1"),
          gateway("gw-2", { rests: [{ fromMs: at(2, 30), toMs: at(6, 10) }] }),
        ],
        minutes: [...minutesOf("gw-1", range(0, 10)), ...minutesOf("gw-2", [0, 1, 2, 6, 7, 8, 9])],
      },
      { gateways: 2, reporting: 2 },
    ],
    [
      "one that came back and then missed a minute",
      {
        gateways: [
          gateway("gw-1"),
          gateway("gw-2", { rests: [{ fromMs: at(2, 30), toMs: at(6, 10) }] }),
        ],
        minutes: [...minutesOf("gw-1", range(0, 10)), ...minutesOf("gw-2", [0, 1, 2, 6, 8, 9])],
      },
      { gateways: 2, reporting: 1 },
    ],
    [
      "one that rested all the time is not asked",
      {
        gateways: [gateway("gw-1"), gateway("gw-2", { rests: [{ fromMs: at(-9), toMs: at(11) }] })],
        minutes: minutesOf("gw-1", range(0, 10)),
      },
      { gateways: 1, reporting: 1 },
    ],
    [
      "one that came later need not have been there",
      {
        gateways: [gateway("gw-1"), gateway("gw-2", { firstSeenMs: at(6, 30) })],
        minutes: [...minutesOf("gw-1", range(0, 10)), ...minutesOf("gw-2", range(7, 10))],
      },
      { gateways: 2, reporting: 2 },
    ],
    [
      "one that left before the interval is not asked",
      {
        gateways: [gateway("gw-1"), gateway("gw-2", { state: "gone", lastSeenMs: at(-5) })],
        minutes: minutesOf("gw-1", range(0, 10)),
      },
      { gateways: 1, reporting: 1 },
    ],
    [
      "the last seconds may still be on their way",
      {
        toMs: at(10, 10),
        nowMs: at(10, 10),
        minutes: [...minutesOf("gw-1", range(0, 9)), ...minutesOf("gw-2", range(0, 9))],
      },
      { gateways: 2, reporting: 2 },
    ],
    [
      "a minute before the rule was in force does not matter",
      {
        spans: [{ fromMs: at(5, 30), toMs: at(10) }],
        minutes: [...minutesOf("gw-1", range(6, 10)), ...minutesOf("gw-2", range(5, 10))],
      },
      { gateways: 2, reporting: 2 },
    ],
  ])("%s", (_, fields, expected) => {
    expect(measureCoverage({ ...input, ...fields })).toMatchObject(expected);
  });
});

test("seconds are those in which the rule was in force and somebody reported", () => {
  const spans = [
    { fromMs: at(1, 30), toMs: at(3) },
    { fromMs: at(8), toMs: Number.POSITIVE_INFINITY },
  ];
  const minutes = minutesOf("gw-1", [0, 1, 2, 3, 9]);
  expect(measureCoverage({ ...input, spans, minutes }).seconds).toBe(90 + 60);
  expect(measureCoverage({ ...input, spans: [], minutes }).seconds).toBe(0);
});

test("lost batches are so many requests as the others had on average", () => {
  const minutes = minutesOf("gw-1", [0], { missingBatches: 6, droppedRequests: 4 });
  const measured = measureCoverage({ ...input, minutes });
  expect(measured.dropped).toBe(10);
  expect(measured.droppedShare).toBeCloseTo(10 / 70);
});
