import { describe, expect, test } from "vitest";
import { tokenBucket } from "@/lib/core/bucket";
import type { BucketLimit } from "@/lib/core/bucket-limit";
import { fixedWindow } from "@/lib/core/fixed-window";
import { slidingWindow } from "@/lib/core/sliding-window";
import { EACH_KIND, EACH_RATE, MINUTE_AT, type Suite, told } from "./store-contract-suite";

export function describeKinds({ rule, checkAt, checkAs, recordsOf }: Suite): void {
  describe("a sliding window", () => {
    const ten = () => rule({ id: "ten", limit: slidingWindow({ rate: 10, per: "1m" }) });
    const minute = MINUTE_AT;

    test("of 10 a minute lets 10 through at once; the next waits until a tenth has slid out", async () => {
      for (let left = 9; left >= 0; left -= 1)
        expect(told(await checkAt(minute, ten()))).toEqual(["allowed", left]);
      // 10 * (120 - 66) / 60 = 9
      expect(told(await checkAt(minute, ten()))).toEqual(["refused", 0, 66_000]);
      expect(told(await checkAt(minute + 65.999, ten()))).toEqual(["refused", 0, 1]);
      expect(told(await checkAt(minute + 66, ten()))).toEqual(["allowed", 0]);
    });

    test("counts the window before by the share of it that is not yet past", async () => {
      for (let i = 0; i < 10; i += 1) await checkAt(minute + 50, ten());
      // Half of 10 counts still.
      for (let left = 4; left >= 0; left -= 1)
        expect(told(await checkAt(minute + 90, ten()))).toEqual(["allowed", left]);
      expect(told(await checkAt(minute + 90, ten()))).toEqual(["refused", 0, 6_000]);
      // Of the 5 all, of the 10 none.
      expect(told(await checkAt(minute + 120, ten()))).toEqual(["allowed", 4]);
      expect(told(await checkAt(minute + 300, ten()))).toEqual(["allowed", 9]);
    });

    test("refuses nobody who keeps to its rate", async () => {
      for (let i = 0; i < 40; i += 1)
        expect((await checkAt(minute + 3 + 6.7 * i, ten())).verdict).toBe("allowed");
    });

    test("is forgotten when neither window counts any more", async () => {
      const other = rule({ id: "other", limit: slidingWindow({ rate: 10, per: "1m" }) });
      await checkAt(minute + 50, ten());
      await checkAt(minute + 119, other);
      expect((await recordsOf(other.key)).map(({ slot }) => slot).sort()).toEqual(
        [ten().slot, other.slot].sort(),
      );
      await checkAt(minute + 120, other);
      expect((await recordsOf(other.key)).map(({ slot }) => slot)).toEqual([other.slot]);
    });
  });

  describe("a fixed window", () => {
    const daily = (zone: string) =>
      rule({ id: "daily", limit: fixedWindow({ rate: 3, per: "1d" }, zone) });

    test("begins anew at its boundary, not before", async () => {
      const three = rule({ id: "three", limit: fixedWindow({ rate: 3, per: "1m" }, "UTC") });
      const last = MINUTE_AT - 0.000_001;
      for (let left = 2; left >= 0; left -= 1)
        expect(told(await checkAt(last, three))).toEqual(["allowed", left]);
      expect(told(await checkAt(last, three))).toEqual(["refused", 0, 1]);
      for (let left = 2; left >= 0; left -= 1)
        expect(told(await checkAt(MINUTE_AT, three))).toEqual(["allowed", left]);
      expect(told(await checkAt(MINUTE_AT + 0.5, three))).toEqual(["refused", 0, 59_500]);
      expect(told(await checkAt(MINUTE_AT + 600, three))).toEqual(["allowed", 2]);
    });

    test.each([
      ["UTC", 6_400],
      ["Europe/Paris", 2_800],
      ["Asia/Kolkata", 73_000],
    ])("of a day ends at midnight in %s", async (zone, seconds) => {
      for (let i = 0; i < 3; i += 1) await checkAt(0, daily(zone));
      expect(told(await checkAt(0, daily(zone)))).toEqual(["refused", 0, seconds * 1000]);
      expect((await checkAt(0, daily(zone))).binding?.resetMs).toBe(seconds * 1000);
      expect((await checkAt(seconds - 0.001, daily(zone))).verdict).toBe("refused");
      expect(told(await checkAt(seconds, daily(zone)))).toEqual(["allowed", 2]);
    });
  });

  describe("requests in flight", () => {
    const two = () =>
      rule({ id: "two", limit: { algorithm: "concurrency", quota: 2, leaseSeconds: 10 } });

    test("of two slots the third request has none, and each is free when its lease ends", async () => {
      expect(told(await checkAt(0, two()))).toEqual(["allowed", 1]);
      expect(told(await checkAt(4, two()))).toEqual(["allowed", 0]);
      expect(told(await checkAt(5, two()))).toEqual(["refused", 0, 1_000]);
      expect((await checkAt(9.999_999, two())).verdict).toBe("refused");
      expect(told(await checkAt(10, two()))).toEqual(["allowed", 0]);
      expect((await checkAt(13.9, two())).verdict).toBe("refused");
      expect((await checkAt(14, two())).verdict).toBe("allowed");
    });

    test("one that is asked for twice holds one slot", async () => {
      await checkAs("a", 0, two());
      await checkAs("a", 0, two());
      expect((await checkAs("b", 0, two())).verdict).toBe("allowed");
      expect((await checkAs("c", 0, two())).verdict).toBe("refused");
    });

    test("one that another rule refuses holds none", async () => {
      const once = rule({ id: "once", amount: { rate: 1, per: "1h", burst: 1 } });
      await checkAt(0, once);
      for (let i = 0; i < 5; i += 1)
        expect((await checkAt(0, once, two())).verdict).toBe("refused");
      expect(told(await checkAt(0, two()))).toEqual(["allowed", 1]);
    });

    test("a full house spends nothing of another rule", async () => {
      const many = rule({ id: "many", amount: { rate: 1, per: "1h", burst: 9 } });
      for (let i = 0; i < 5; i += 1) await checkAt(0, many, two());
      expect(told(await checkAt(0, many))).toEqual(["allowed", 6]);
    });
  });

  describe.each(EACH_RATE)("a cost on a %s", (_, limitOf) => {
    test("above the whole quota never passes, says so, and is not noted", async () => {
      const big = rule({ id: "big", limit: limitOf(10), cost: 11 });
      expect(told(await checkAt(0, big))).toEqual(["refused", 10, null]);
      expect(await recordsOf(big.key)).toEqual([]);
      // Though a smaller one would have to wait.
      const all = rule({ id: "big", limit: limitOf(10), cost: 10 });
      expect(told(await checkAt(0, all))).toEqual(["allowed", 0]);
      expect(told(await checkAt(0, big))).toEqual(["refused", 0, null]);
    });

    test("is taken whole or not at all", async () => {
      const of = (cost: number) => rule({ id: "some", limit: limitOf(10), cost });
      expect(told(await checkAt(0, of(7)))).toEqual(["allowed", 3]);
      expect((await checkAt(0, of(4))).verdict).toBe("refused");
      expect(told(await checkAt(0, of(3)))).toEqual(["allowed", 0]);
    });
  });

  test.each(EACH_KIND)("a %s that has one left has no reset to wait for", async (_, limitOf) => {
    const two = rule({ id: "two-left", limit: limitOf(2) });
    expect((await checkAt(0, two)).binding).toMatchObject({ remaining: 1, resetMs: 0 });
    const last = await checkAt(0, two);
    expect(last.binding).toMatchObject({ allowed: true, remaining: 0, retryAfterMs: 0 });
    expect(last.binding?.resetMs).toBe((await checkAt(0, two)).binding?.retryAfterMs);
  });

  describe("the edges of every number", () => {
    test.each(EACH_KIND)("a %s of one lets one through", async (_, limitOf) => {
      const one = rule({ id: "one", limit: limitOf(1) });
      expect(told(await checkAt(0, one))).toEqual(["allowed", 0]);
      expect((await checkAt(0, one)).verdict).toBe("refused");
    });

    test.each<[string, number, BucketLimit]>([
      ["sliding window", 4e9, slidingWindow({ rate: 4e9, per: "30d" })],
      ["fixed window", 4e9, fixedWindow({ rate: 4e9, per: "12mo" }, "UTC")],
      ["token bucket", 1e9, tokenBucket({ rate: 1e9, per: "30d", burst: 1e9 })],
    ])("the greatest %s counts single requests and the greatest costs", async (_, quota, limit) => {
      const of = (cost: number, op?: "force") =>
        rule({ id: "great", limit, cost, ...(op === undefined ? {} : { op }) });
      expect(told(await checkAt(0, of(1)))).toEqual(["allowed", quota - 1]);
      expect(told(await checkAt(0, of(1e6)))).toEqual(["allowed", quota - 1 - 1e6]);
      expect(told(await checkAt(0, of(quota - 1e6 - 3, "force")))).toEqual(["allowed", 2]);
      expect((await checkAt(0, of(3))).verdict).toBe("refused");
      expect(told(await checkAt(0, of(1)))).toEqual(["allowed", 1]);
      expect(told(await checkAt(0, of(1)))).toEqual(["allowed", 0]);
      expect((await checkAt(0, of(1))).verdict).toBe("refused");
    });

    test("the greatest number of requests in flight is told exactly", async () => {
      const limit = { algorithm: "concurrency", quota: 1e6, leaseSeconds: 3600 } as const;
      const million = rule({ id: "million", limit });
      expect(told(await checkAt(0, million))).toEqual(["allowed", 999_999]);
      expect(told(await checkAt(0, million))).toEqual(["allowed", 999_998]);
    });
  });
}
