import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedisTime } from "./redis-time";

const OFFSET_US = 1_700_000_000_000_000;
/** A check sent at `sentMs` that reached a Redis, whose clock is off by `offset`, after `there` ms. */
const reply = (sentMs: number, there: number, back: number, offset = OFFSET_US) => ({
  sentMs,
  receivedMs: sentMs + there + back,
  redisUs: Math.round((sentMs + there) * 1000 + offset),
});

test("it knows nothing before the first reply", () => {
  expect(createRedisTime().at(5)).toBeUndefined();
});

test("the fastest way there counts, later slow ones change nothing", () => {
  const time = createRedisTime();
  time.observe(reply(100, 3, 1));
  expect(time.at(0)).toBe(OFFSET_US + 3000);
  time.observe(reply(200, 1, 1));
  time.observe(reply(300, 9_000, 1));
  expect(time.at(0)).toBe(OFFSET_US + 1000);
});

test("a clock set back or forward is followed with the next reply", () => {
  const time = createRedisTime();
  time.observe(reply(100, 1, 1));
  time.observe(reply(200, 2, 1, OFFSET_US - 60_000_000));
  expect(time.at(0)).toBe(OFFSET_US - 60_000_000 + 2000);
  time.observe(reply(300, 2, 1, OFFSET_US + 60_000_000));
  expect(time.at(0)).toBe(OFFSET_US + 60_000_000 + 2000);
});

test("a clock that runs slow or fast never brings an expiry before the deadline by more than one way back", () => {
  const delays = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 5 })),
    {
      minLength: 2,
      maxLength: 100,
    },
  );
  fc.assert(
    fc.property(delays, fc.integer({ min: -200, max: 200 }), (all, partsPerMillion) => {
      const time = createRedisTime();
      let sentMs = 0;
      for (const [there, back] of all) {
        sentMs += 1000;
        const offset = OFFSET_US + sentMs * 1000 * (partsPerMillion / 1e6);
        time.observe(reply(sentMs, there, back, offset));
        const estimate = (time.at(sentMs) ?? 0) - sentMs * 1000;
        expect(estimate).toBeGreaterThanOrEqual(offset - back * 1000 - 1);
        expect(estimate).toBeLessThanOrEqual(offset + 20_000 + 20_000);
      }
    }),
  );
});
