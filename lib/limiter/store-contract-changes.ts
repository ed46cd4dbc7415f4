import { describe, expect, test } from "vitest";
import { tokenBucket } from "@/lib/core/bucket";
import { fixedWindow } from "@/lib/core/fixed-window";
import { slidingWindow } from "@/lib/core/sliding-window";
import { EACH_KIND, MINUTE_AT, type Suite, told } from "./store-contract-suite";

export function describeChanges({ rule, checkAt, recordsOf }: Suite): void {
  describe.each(EACH_KIND)("counters of a %s go on", (kind, limitOf) => {
    test("over a limit that is lowered", async () => {
      for (let i = 0; i < 4; i += 1) await checkAt(0, rule({ id: "changed", limit: limitOf(10) }));
      // A token bucket keeps the tokens that are left, the others what is used.
      const left = kind === "token bucket" ? 4 : 0;
      expect(told(await checkAt(1, rule({ id: "changed", limit: limitOf(5) })))).toEqual([
        "allowed",
        left,
      ]);
    });

    test("over a limit that is raised", async () => {
      for (let i = 0; i < 4; i += 1) await checkAt(0, rule({ id: "changed", limit: limitOf(10) }));
      const left = kind === "token bucket" ? 5 : 15;
      expect(told(await checkAt(1, rule({ id: "changed", limit: limitOf(20) })))).toEqual([
        "allowed",
        left,
      ]);
    });

    test("below what is used already: refused, and counted no further", async () => {
      for (let i = 0; i < 8; i += 1) await checkAt(0, rule({ id: "changed", limit: limitOf(10) }));
      const lowered = await checkAt(1, rule({ id: "changed", limit: limitOf(1) }));
      expect(lowered.verdict).toBe(kind === "token bucket" ? "allowed" : "refused");
      expect(lowered.binding?.remaining).toBe(0);
    });

    test("from shadow to enforce", async () => {
      const limit = limitOf(5);
      for (let i = 0; i < 3; i += 1)
        await checkAt(0, rule({ id: "promoted", limit, role: "shadow" }));
      expect(told(await checkAt(0, rule({ id: "promoted", limit })))).toEqual(["allowed", 1]);
    });

    test("from enforce to shadow", async () => {
      const limit = limitOf(5);
      for (let i = 0; i < 5; i += 1) await checkAt(0, rule({ id: "demoted", limit }));
      const watched = await checkAt(0, rule({ id: "demoted", limit, role: "shadow" }));
      expect(watched).toMatchObject({ verdict: "allowed", binding: null });
      expect(watched.perRule[0]).toMatchObject({ allowed: false, charged: false, remaining: 0 });
    });

    test("from a candidate to the live rule, which takes its place", async () => {
      const live = rule({ id: "rule", limit: limitOf(2), slot: 901 });
      const candidate = rule({ id: "rule", limit: limitOf(5), slot: 902, role: "shadow" });
      for (let i = 0; i < 3; i += 1) await checkAt(0, live, candidate);
      const promoted = rule({ id: "rule", limit: limitOf(5), slot: 902 });
      expect(told(await checkAt(0, promoted))).toEqual(["allowed", 1]);
    });
  });

  describe.each(EACH_KIND)("a candidate that is a %s", (_, limitOf) => {
    test("is charged though its live rule refuses", async () => {
      const live = rule({ id: "rule", limit: limitOf(1), slot: 901 });
      const candidate = rule({ id: "rule", limit: limitOf(3), slot: 902, role: "shadow" });
      const seen: unknown[] = [];
      for (let i = 0; i < 5; i += 1) {
        const { verdict, perRule } = await checkAt(0, live, candidate);
        seen.push([verdict, perRule[1]?.allowed, perRule[1]?.charged, perRule[1]?.remaining]);
      }
      expect(seen).toEqual([
        ["allowed", true, true, 2],
        ["refused", true, true, 1],
        ["refused", true, true, 0],
        ["refused", false, false, 0],
        ["refused", false, false, 0],
      ]);
      const [only] = (await checkAt(0, { ...live, limit: limitOf(9) })).perRule;
      expect(only?.remaining).toBe(live.limit.algorithm === "token-bucket" ? 0 : 7);
    });

    test("is not charged when another enforced rule refuses, with its live rule or alone", async () => {
      const live = rule({ id: "rule", limit: limitOf(1), slot: 901 });
      const candidate = rule({ id: "rule", limit: limitOf(9), slot: 902, role: "shadow" });
      const gate = rule({ id: "gate", amount: { rate: 1, per: "1h", burst: 1 } });
      await checkAt(0, gate, live, candidate);
      const both = await checkAt(0, gate, live, candidate);
      expect(both.perRule.map(({ charged }) => charged)).toEqual([false, false, false]);
      const alone = await checkAt(0, gate, { ...live, limit: limitOf(9) }, candidate);
      expect(alone.perRule[2]).toMatchObject({ allowed: true, charged: false });
      const last = await checkAt(0, candidate);
      expect(last.perRule[0]?.remaining).toBe(7);
    });

    test("spends nothing that is enforced", async () => {
      const live = rule({ id: "rule", limit: limitOf(1), slot: 901 });
      const candidate = rule({ id: "rule", limit: limitOf(9), slot: 902, role: "shadow" });
      const other = rule({ id: "other", amount: { rate: 1, per: "1h", burst: 5 } });
      await checkAt(0, other, live, candidate);
      const before = (await recordsOf(other.key)).filter(({ slot }) => slot !== candidate.slot);
      for (let i = 0; i < 3; i += 1)
        expect((await checkAt(1, other, live, candidate)).verdict).toBe("refused");
      const after = (await recordsOf(other.key)).filter(({ slot }) => slot !== candidate.slot);
      const bySlot = (a: { slot: number }, b: { slot: number }) => a.slot - b.slot;
      expect([...after].sort(bySlot)).toEqual([...before].sort(bySlot));
    });
  });

  describe("a client that moves to another plan", () => {
    test("takes what it used of this hour along into its day, and begins an hour anew", async () => {
      const hourly = rule({ id: "moved", limit: fixedWindow({ rate: 10, per: "1h" }, "UTC") });
      const daily = rule({ id: "moved", limit: fixedWindow({ rate: 100, per: "1d" }, "UTC") });
      for (let i = 0; i < 4; i += 1) await checkAt(0, hourly);
      expect(told(await checkAt(1, daily))).toEqual(["allowed", 95]);
      expect(told(await checkAt(2, daily))).toEqual(["allowed", 94]);
      expect(told(await checkAt(3, hourly))).toEqual(["allowed", 9]);
    });

    test("takes both minutes of a sliding window along into its hour", async () => {
      const minute = rule({ id: "moved", limit: slidingWindow({ rate: 10, per: "1m" }) });
      const hour = rule({ id: "moved", limit: slidingWindow({ rate: 100, per: "1h" }) });
      for (let i = 0; i < 4; i += 1) await checkAt(MINUTE_AT - 1, minute);
      for (let i = 0; i < 2; i += 1) await checkAt(MINUTE_AT + 1, minute);
      expect(told(await checkAt(MINUTE_AT + 2, hour))).toEqual(["allowed", 93]);
    });

    test("begins anew where a plan's algorithm is another one", async () => {
      const bucket = rule({ id: "moved", limit: tokenBucket({ rate: 1, per: "1h", burst: 5 }) });
      const window = rule({ id: "moved", limit: slidingWindow({ rate: 5, per: "1h" }) });
      for (let i = 0; i < 5; i += 1) await checkAt(0, bucket);
      expect(told(await checkAt(0, window))).toEqual(["allowed", 4]);
      expect(told(await checkAt(0, bucket))).toEqual(["allowed", 4]);
    });
  });
}
