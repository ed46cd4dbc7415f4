import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BucketState,
  CLOCK_LEAD_MAX_US,
  fullAtUs,
  fullBucket,
  LEASE_US,
  type Leases,
  lend,
  MICRO,
  refill,
  settleLeases,
  shareOfBucket,
  spend,
  type TokenBucket,
  tokenBucket,
  waitUs,
} from "./bucket";
import type { Rate } from "./limit";

const SECOND = 1_000_000;
const T0 = 1_700_000_000_000_000;

const out = (tokens: number): Leases => ({
  generation: Math.floor(T0 / SECOND),
  current: tokens * MICRO,
  previous: 0,
});
const empty = (timeUs = T0): BucketState => ({ level: 0, timeUs, previous: 0, leases: null });

/** Rates that are awkward: slow, no whole number of µs a token, the greatest allowed. */
const HARD: Rate[] = [
  { rate: 1, per: "1h", burst: 1 },
  { rate: 7, per: "13s", burst: 7 },
  { rate: 1_000_000, per: "1s", burst: 1_000_000 },
  { rate: 1_000_000_000, per: "30d", burst: 1_000_000_000 },
  { rate: 999_999_937, per: "2591999s", burst: 999_999_937 },
  { rate: 1, per: "30d", burst: 12 },
  { rate: 1_000_000_000, per: "1s", burst: 1 },
];
const hardBucket = fc.constantFrom(...HARD).map(tokenBucket);

test.each([
  [{ rate: 60, per: "1m", burst: 60 }, 1, 1],
  [{ rate: 1, per: "1h", burst: 1 }, 1, 3600],
  [{ rate: 7, per: "13s", burst: 7 }, 7, 13],
  [{ rate: 1_000_000, per: "1s", burst: 5 }, 1_000_000, 1],
  [{ rate: 100, per: "1h", burst: 5 }, 1, 36],
])("%j is %d micro-tokens each %d µs", (rate, gain, periodUs) => {
  expect(tokenBucket(rate)).toMatchObject({ gain, periodUs, capacity: rate.burst * MICRO });
});

describe("refill", () => {
  test("1 an hour polled every 100 µs still refills", () => {
    const bucket = tokenBucket({ rate: 1, per: "1h", burst: 1 });
    let state = empty();
    for (let t = T0; t <= T0 + 10 * SECOND; t += 100) state = refill(state, bucket, t);
    expect(state.level).toBe(Math.floor((10 * SECOND) / 3600));
    expect(refill(state, bucket, T0 + 3600 * SECOND - 1).level).toBe(MICRO - 1);
    expect(refill(state, bucket, T0 + 3600 * SECOND).level).toBe(MICRO);
  });

  test("7 per 13s gives the seventh token at 13 s and not a µs before", () => {
    const bucket = tokenBucket({ rate: 7, per: "13s", burst: 7 });
    expect(refill(empty(), bucket, T0 + 13 * SECOND - 1).level).toBe(7 * MICRO - 7);
    expect(refill(empty(), bucket, T0 + 13 * SECOND).level).toBe(7 * MICRO);
  });

  test("1e6 a second gives a token each µs", () => {
    const bucket = tokenBucket({ rate: 1_000_000, per: "1s", burst: 1_000_000 });
    expect(refill(empty(), bucket, T0 + 1).level).toBe(MICRO);
    expect(refill(empty(), bucket, T0 + SECOND).level).toBe(1_000_000 * MICRO);
  });

  test("however often it is asked in between, the level is the same", () => {
    const property = fc.property(
      hardBucket,
      fc.array(fc.integer({ min: 0, max: 5_000 * SECOND }), { maxLength: 30 }),
      (bucket, steps) => {
        let polled = empty();
        let now = T0;
        for (const step of steps) {
          now += step;
          polled = refill(polled, bucket, now);
        }
        expect(polled.level).toBe(refill(empty(), bucket, now).level);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  test("spending and refilling agree with whole-number arithmetic without any bound", () => {
    const action = fc.record({
      waitUs: fc.oneof(
        fc.integer({ min: 0, max: 4000 }),
        fc.integer({ min: 0, max: 400 * 86_400 }).map((seconds) => seconds * SECOND + 1),
      ),
      cost: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1_000_000 })),
    });
    const property = fc.property(hardBucket, fc.array(action, { maxLength: 40 }), (bucket, all) => {
      let state = fullBucket(bucket, T0);
      const exact = new ExactBucket(bucket, BigInt(T0));
      let now = T0;
      for (const { waitUs: wait, cost } of all) {
        now += wait;
        state = refill(state, bucket, now);
        const wanted = cost * MICRO;
        expect(BigInt(state.level)).toBe(exact.levelAt(BigInt(now)));
        expect(Number.isSafeInteger(state.level) && Number.isSafeInteger(state.timeUs)).toBe(true);
        expect(state.level >= wanted).toBe(exact.spend(BigInt(now), BigInt(wanted)));
        if (state.level >= wanted) state = spend(state, wanted);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("after the answered wait the tokens are there, a µs before they are not", () => {
    const property = fc.property(
      hardBucket,
      fc.integer({ min: 0, max: 100_000_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 1_000_000 }),
      (bucket, elapsed, share, cost) => {
        const wanted = Math.min(cost * MICRO, bucket.capacity);
        const level = Math.floor(share * bucket.capacity);
        const now = T0 + elapsed;
        const state = refill({ level, timeUs: T0, previous: 0, leases: null }, bucket, now);
        const wait = waitUs(state, bucket, now, wanted);
        expect(refill(state, bucket, now + wait).level).toBeGreaterThanOrEqual(wanted);
        if (wait > 0) expect(refill(state, bucket, now + wait - 1).level).toBeLessThan(wanted);
        expect(refill(state, bucket, fullAtUs(state, bucket)).level).toBe(bucket.capacity);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  test("a clock set back credits nothing and takes nothing", () => {
    const bucket = tokenBucket({ rate: 1, per: "1s", burst: 10 });
    const state = { level: 3 * MICRO, timeUs: T0, previous: 0, leases: null };
    expect(refill(state, bucket, T0 - SECOND)).toEqual(state);
    expect(refill(state, bucket, T0 - CLOCK_LEAD_MAX_US)).toEqual(state);
  });

  test("a record more than 5 s ahead gives up its time, so that nobody waits longer than the refill", () => {
    const bucket = tokenBucket({ rate: 1, per: "1s", burst: 10 });
    const state = { level: 3 * MICRO, timeUs: T0 + 3600 * SECOND, previous: 0, leases: null };
    expect(refill(state, bucket, T0)).toEqual({ ...state, timeUs: T0 });
    expect(waitUs(refill(state, bucket, T0), bucket, T0, 4 * MICRO)).toBe(SECOND);
  });

  test("a lowered limit clips, a raised one never tops up", () => {
    const state = { level: 8 * MICRO, timeUs: T0, previous: 0, leases: null };
    const lower = tokenBucket({ rate: 1, per: "1h", burst: 5 });
    const higher = tokenBucket({ rate: 1, per: "1h", burst: 500 });
    expect(refill(state, lower, T0).level).toBe(5 * MICRO);
    expect(refill(state, higher, T0).level).toBe(8 * MICRO);
  });

  test("tokens out on leases do not grow again until their second and the next are over", () => {
    const bucket = tokenBucket({ rate: 10, per: "1s", burst: 10 });
    const state = { level: 0, timeUs: T0, previous: 0, leases: out(4) };
    expect(refill(state, bucket, T0 + SECOND)).toMatchObject({
      level: 6 * MICRO,
      leases: { current: 0, previous: 4 * MICRO },
    });
    expect(refill({ ...state, leases: out(40) }, bucket, T0 + SECOND).level).toBe(0);
    expect(refill(state, bucket, T0 + 2 * SECOND)).toMatchObject({
      level: 10 * MICRO,
      leases: null,
    });
  });

  test("what is lent is gone from the level at once, and the bucket is not full before it is back", () => {
    const bucket = tokenBucket({ rate: 10, per: "1s", burst: 10 });
    const lent = lend(fullBucket(bucket, T0), T0, 7 * MICRO);
    expect(lent).toMatchObject({ level: 3 * MICRO, leases: { current: 7 * MICRO } });
    expect(fullAtUs(lent, bucket)).toBe(T0 + 2 * SECOND);
    expect(lend(refill(lent, bucket, T0 + SECOND), T0 + SECOND, 3 * MICRO).leases).toMatchObject({
      current: 3 * MICRO,
      previous: 7 * MICRO,
    });
  });
});

describe("settleLeases", () => {
  const G = Math.floor(T0 / LEASE_US);
  const bucket = tokenBucket({ rate: 10, per: "1s", burst: 10 });
  const state: BucketState = {
    level: 0,
    timeUs: T0,
    previous: 0,
    leases: { generation: G, current: 5 * MICRO, previous: 3 * MICRO },
  };
  const said = (generation: number, current: number, previous: number) =>
    settleLeases(state, { generation, current: current * MICRO, previous: previous * MICRO })
      .leases;

  test.each([
    ["of this second and the one before", [G, 2, 1], { current: 3 * MICRO, previous: 2 * MICRO }],
    ["of the second before", [G - 1, 2, 9], { current: 5 * MICRO, previous: MICRO }],
    ["of seconds that nobody sums any more", [G - 2, 5, 5], state.leases],
    ["of a second to come", [G + 1, 5, 5], state.leases],
    ["of more than there is", [G, 9, 1], { current: 0, previous: 2 * MICRO }],
  ] as const)("what is spent %s is out no more", (_, [generation, current, previous], left) => {
    expect(said(generation, current, previous)).toMatchObject(left ?? {});
  });

  test("all spent, the room is there for the next refill, not for the time before", () => {
    const settled = settleLeases(refill(state, bucket, T0 + SECOND), {
      generation: G,
      current: 5 * MICRO,
      previous: 0,
    });
    expect(settled).toMatchObject({ level: 5 * MICRO, leases: null });
    expect(refill(settled, bucket, T0 + 2 * SECOND).level).toBe(10 * MICRO);
  });
});

describe("waitUs", () => {
  const bucket = tokenBucket({ rate: 7, per: "13s", burst: 7 });
  test.each([
    ["has it", 2 * MICRO, MICRO, 0],
    ["lacks a micro-token", MICRO - 1, MICRO, 13],
    ["is empty", 0, MICRO, 142_858 * 13],
    ["can never hold it", 7 * MICRO, 8 * MICRO, Number.POSITIVE_INFINITY],
  ])("a bucket that %s", (_, level, wanted, wait) => {
    expect(waitUs({ level, timeUs: T0, previous: 0, leases: null }, bucket, T0, wanted)).toBe(wait);
  });
});

describe("shareOfBucket", () => {
  const sixty = tokenBucket({ rate: 60, per: "1m", burst: 60 });
  test.each([
    [0, 60, 60],
    [1, 60, 60],
    [2, 30, 120],
    [7, 8, 420],
    [60, 1, 3600],
    [1000, 1, 60_000],
  ])("of %d gateways holds %d and gains 60 each %d s", (gateways, burst, perSeconds) => {
    expect(shareOfBucket(sixty, gateways)).toMatchObject({ rate: 60, burst, perSeconds });
  });

  test("n shares together never gain faster than the whole", () => {
    const property = fc.property(hardBucket, fc.integer({ min: 1, max: 2000 }), (bucket, n) => {
      const share = shareOfBucket(bucket, n);
      const together = BigInt(share.gain) * BigInt(n) * BigInt(bucket.periodUs);
      expect(together).toBe(BigInt(bucket.gain) * BigInt(share.periodUs));
    });
    fc.assert(property);
  });
});

/** Counts from when the bucket was last full, where refill counts from when it was last asked. */
class ExactBucket {
  #fullAt: bigint;
  #spent = 0n;
  readonly #bucket: TokenBucket;

  constructor(bucket: TokenBucket, now: bigint) {
    this.#bucket = bucket;
    this.#fullAt = now;
  }

  levelAt(now: bigint): bigint {
    const { gain, periodUs, capacity } = this.#bucket;
    const gained = ((now - this.#fullAt) / BigInt(periodUs)) * BigInt(gain);
    if (gained < this.#spent) return BigInt(capacity) - this.#spent + gained;
    this.#fullAt = now;
    this.#spent = 0n;
    return BigInt(capacity);
  }

  spend(now: bigint, wanted: bigint): boolean {
    if (this.levelAt(now) < wanted) return false;
    this.#spent += wanted;
    return true;
  }
}
