import { describe, expect, test } from "vitest";
import { tokenBucket } from "@/lib/core/bucket";
import type { BucketLimit } from "@/lib/core/bucket-limit";
import type { CheckDecision } from "@/lib/core/check";
import { fixedWindow } from "@/lib/core/fixed-window";
import { retryAfterSeconds } from "@/lib/core/headers";
import { slidingWindow } from "@/lib/core/sliding-window";
import { EACH_RATE, MINUTE_AT, phases, START_US, type Suite, told } from "./store-contract-suite";

const TRIES = 20;
const LIMITS: [string, BucketLimit][] = [
  ["token bucket of 7 a minute", tokenBucket({ rate: 7, per: "1m", burst: 7 })],
  ["token bucket of 1000 in 13 s", tokenBucket({ rate: 1000, per: "13s", burst: 11 })],
  ["sliding window of 7 a minute", slidingWindow({ rate: 7, per: "1m" })],
  ["sliding window of 11 in 13 s", slidingWindow({ rate: 11, per: "13s" })],
  ["sliding window of 4e9 in 7 s", slidingWindow({ rate: 4e9, per: "7s" })],
  ["fixed window of 7 a minute", fixedWindow({ rate: 7, per: "1m" }, "UTC")],
  ["fixed window of 7 a day", fixedWindow({ rate: 7, per: "1d" }, "Europe/Paris")],
  ["fixed window of 7 in 7 minutes", fixedWindow({ rate: 7, per: "7m" }, "UTC")],
];

export function describeWaits({ rule, checkAt }: Suite): void {
  describe("a lone client that waits as told", () => {
    test.each(LIMITS)(
      "is served by a %s, whenever it came and whatever it asks for",
      async (name, limit) => {
        const random = phases(name.length);
        const of = (cost: number) => rule({ id: "waited", limit, cost });
        let at = random() * 100;
        for (let i = 0; i < TRIES; i += 1) {
          at += random() * 3;
          const cost = i % 2 === 0 ? 1 : 1 + Math.floor(random() * 6);
          const refused = await exhaust(at, cost);
          const waitMs = refused.binding?.retryAfterMs ?? 0;
          expect(waitMs).toBeGreaterThan(0);
          if (i % 3 === 0) at += waitMs / 1000;
          else at += retryAfterSeconds(refused.binding ?? { resetMs: 0, retryAfterMs: 0 }) ?? 0;
          at = Math.round(at * 1e6) / 1e6;
          expect([i, cost, (await checkAt(at, of(cost))).verdict]).toEqual([i, cost, "allowed"]);
        }

        /** Takes all there is, then asks once more. */
        async function exhaust(at: number, cost: number): Promise<CheckDecision> {
          await checkAt(at, rule({ id: "waited", limit, cost: 4e9, op: "force" }));
          return checkAt(at, of(cost));
        }
      },
    );

    test("is told by a sliding window no more than it must wait, to the millisecond", async () => {
      const limit = slidingWindow({ rate: 7, per: "1m" });
      const seven = rule({ id: "seven", limit });
      const random = phases(3);
      let at = MINUTE_AT;
      for (let i = 0; i < TRIES; i += 1) {
        while ((await checkAt(at, seven)).verdict === "allowed") at += random() * 0.4;
        const waitMs = (await checkAt(at, seven)).binding?.retryAfterMs ?? 0;
        expect((await checkAt(at + (waitMs - 1) / 1000 - 0.000_001, seven)).verdict).toBe(
          "refused",
        );
        at = Math.round((at + waitMs / 1000) * 1e6) / 1e6;
      }
    });
  });

  describe.each(EACH_RATE)("on a %s", (_, limitOf) => {
    const limit = limitOf(10);
    const nowUs = START_US;

    test("force takes what is there, at most its cost, and allows", async () => {
      const forced = (cost: number) => rule({ id: "forced", limit, cost, op: "force" });
      expect(told(await checkAt(0, forced(4)))).toEqual(["allowed", 6]);
      expect(told(await checkAt(0, forced(40)))).toEqual(["allowed", 0]);
      expect(told(await checkAt(0, forced(1)))).toEqual(["allowed", 0]);
      // Nobody owes anything: it comes back as if exactly all had been taken.
      const wait = await checkAt(0, rule({ id: "forced", limit }));
      const plain = rule({ id: "plain", limit, cost: 10 });
      await checkAt(0, plain);
      expect(wait.binding?.retryAfterMs).toBe(
        (await checkAt(0, { ...plain, cost: 1 })).binding?.retryAfterMs,
      );
    });

    test("a refund gives back what was taken, once, and never more than there was", async () => {
      const some = (cost: number) => rule({ id: "refunded", limit, cost });
      const back = (cost: number) =>
        rule({ id: "refunded", limit, cost, op: "refund", takenUs: nowUs });
      await checkAt(0, some(8));
      await checkAt(0, back(3));
      expect(told(await checkAt(0, some(1)))).toEqual(["allowed", 4]);
      await checkAt(0, back(1_000_000));
      expect(told(await checkAt(0, some(1)))).toEqual(["allowed", 9]);
      await checkAt(0, back(1));
      await checkAt(0, back(1));
      expect(told(await checkAt(0, some(10)))).toEqual(["allowed", 0]);
      expect((await checkAt(0, some(1))).verdict).toBe("refused");
    });
  });

  test("a refund that comes after its fixed window gives nothing back to the next one", async () => {
    const limit = fixedWindow({ rate: 10, per: "1m" }, "UTC");
    const takenUs = START_US + (MINUTE_AT - 1) * 1_000_000;
    const back = rule({ id: "late", limit, cost: 5, op: "refund", takenUs });
    await checkAt(MINUTE_AT - 1, rule({ id: "late", limit, cost: 5 }));
    await checkAt(MINUTE_AT, back);
    expect(told(await checkAt(MINUTE_AT, rule({ id: "late", limit, cost: 6 })))).toEqual([
      "allowed",
      4,
    ]);
    await checkAt(MINUTE_AT, back);
    expect(told(await checkAt(MINUTE_AT, rule({ id: "late", limit })))).toEqual(["allowed", 3]);
  });

  test("a refund that comes after its sliding window leaves both windows as they are", async () => {
    const limit = slidingWindow({ rate: 10, per: "1m" });
    const takenUs = START_US + (MINUTE_AT - 1) * 1_000_000;
    const of = (cost: number) => rule({ id: "late", limit, cost });
    await checkAt(MINUTE_AT - 1, of(8));
    // Half of the 8 counts still.
    expect(told(await checkAt(MINUTE_AT + 30, of(2)))).toEqual(["allowed", 4]);
    await checkAt(MINUTE_AT + 30, { ...of(8), op: "refund", takenUs });
    expect(told(await checkAt(MINUTE_AT + 30, of(1)))).toEqual(["allowed", 3]);
  });

  test("a token bucket lends what it has, and fills up no further than what is out leaves room", async () => {
    const limit = tokenBucket({ rate: 10, per: "1s", burst: 10 });
    const of = (lend?: number) =>
      rule({ id: "lent", limit, ...(lend === undefined ? {} : { lend }) });
    const first = await checkAt(0, of(5));
    expect([told(first), first.perRule[0]?.lent]).toEqual([["allowed", 4], 5]);
    expect(told(await checkAt(0.9, of()))).toEqual(["allowed", 4]);
    const rest = await checkAt(0.9, of(100));
    expect([told(rest), rest.perRule[0]?.lent]).toEqual([["allowed", 0], 3]);
    expect((await checkAt(0.9, of(1))).perRule[0]?.lent).toBe(0);
    // No lease lives that long.
    expect(told(await checkAt(3, of()))).toEqual(["allowed", 9]);
  });
}
