import fc from "fast-check";
import { expect, test } from "vitest";
import { TimeOrder } from "../core/time-order";
import { emptyTally } from "./log-tally";
import { readLog } from "./read-log";

test("what comes out is in order of time, and equal times keep their order", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (times) => {
      const order = new TimeOrder<{ atMs: number; nth: number }>();
      for (const [nth, atMs] of times.entries()) order.add({ atMs, nth }, atMs);
      const taken = times.map(() => order.take());
      const expected = times
        .map((atMs, nth) => ({ atMs, nth }))
        .sort((a, b) => a.atMs - b.atMs || a.nth - b.nth);
      expect(taken).toEqual(expected);
      expect(order.take()).toBeUndefined();
    }),
  );
});

async function read(seconds: number[], window: number) {
  const tally = emptyTally();
  const out: number[] = [];
  for await (const { atMs } of readLog(lines(seconds), { file: "-", tally, window }))
    out.push((atMs / 1000) % 60);
  return { out, tally };
}

async function* lines(seconds: number[]): AsyncGenerator<string[]> {
  for (const second of seconds) {
    const time = `17/May/2015:10:00:${String(second).padStart(2, "0")} +0000`;
    yield [`198.51.100.7 - - [${time}] "GET / HTTP/1.1" 200 1`];
  }
}

test("lines out of order are put in order within the window", async () => {
  const { out, tally } = await read([5, 3, 4, 1, 9], 3);
  expect(out).toEqual([1, 3, 4, 5, 9]);
  expect(tally).toMatchObject({ outOfOrder: 3, tooLate: 0, isComplete: true });
});

test("a line too late for the window is sent all the same, and counted", async () => {
  const { out, tally } = await read([5, 6, 7, 1, 8], 1);
  expect(out).toEqual([5, 6, 1, 7, 8]);
  expect(tally).toMatchObject({ parsed: 5, outOfOrder: 1, tooLate: 1 });
});
