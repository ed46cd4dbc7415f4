import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { tokenBucket } from "@/lib/core/bucket";
import type { CheckDecision, CheckRule } from "@/lib/core/check";
import type { StateRecord } from "@/lib/core/record";
import { bucketKey } from "./state-key";
import type { Store } from "./store";
import { describeChanges } from "./store-contract-changes";
import { describeKinds } from "./store-contract-kinds";
import { type RuleInput, SECOND_US, START_US, type Suite } from "./store-contract-suite";
import { describeWaits } from "./store-contract-waits";

/** What the suite needs of a store under test, besides the store: its time, and a look at what it keeps. */
export type StoreUnderTest = {
  store: Pick<Store, "check">;
  setTimeUs(timeUs: number): void;
  recordsOf(key: string): Promise<readonly StateRecord[]>;
  close(): Promise<void>;
};

/** What every store promises. Each implementation runs it. */
export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let subject: StoreUnderTest;
    let environment: string;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());
    beforeEach(() => {
      environment = `t${randomBytes(6).toString("hex")}`;
      subject.setTimeUs(START_US);
    });

    const slots = new Map<string, number>();
    function rule(input: RuleInput): CheckRule {
      const { id, principal = "key:one", role = "enforced", cost = 1 } = input;
      if (!slots.has(id)) slots.set(id, slots.size + 1);
      const slot = input.slot ?? slots.get(id) ?? 0;
      const limit = "limit" in input ? input.limit : tokenBucket(input.amount);
      const isAlone = limit.algorithm === "concurrency";
      const key = bucketKey(environment, { principal, slot, rest: [], isAlone });
      const { op, takenUs, lend } = input;
      return {
        ...{ ruleId: id, key, slot, role, limit, cost },
        ...(op === undefined ? {} : { op }),
        ...(takenUs === undefined ? {} : { takenUs }),
        ...(lend === undefined ? {} : { lend }),
      };
    }

    async function checkAs(
      leaseId: string,
      seconds: number,
      ...rules: CheckRule[]
    ): Promise<CheckDecision> {
      subject.setTimeUs(START_US + Math.round(seconds * SECOND_US));
      const result = await subject.store.check({ rules, leaseId });
      if (result.verdict === "unavailable") throw new Error(`${result.reason}: ${result.message}`);
      return result;
    }

    let requests = 0;
    function checkAt(seconds: number, ...rules: CheckRule[]): Promise<CheckDecision> {
      requests += 1;
      return checkAs(`request-${requests}`, seconds, ...rules);
    }

    const suite: Suite = { rule, checkAt, checkAs, recordsOf: (key) => subject.recordsOf(key) };
    describeKinds(suite);
    describeWaits(suite);
    describeChanges(suite);

    const outcome = (decision: CheckDecision, id: string) =>
      decision.perRule.find((each) => each.ruleId === id);

    test("capacity 3, one a second: three at once, the fourth waits a second", async () => {
      const three = rule({ id: "three", amount: { rate: 1, per: "1s", burst: 3 } });
      const seen: unknown[] = [];
      for (const at of [0, 0, 0, 0, 1, 5, 6]) {
        const { verdict, binding } = await checkAt(at, three);
        seen.push([at, verdict, binding?.remaining, binding?.retryAfterMs]);
      }
      expect(seen).toEqual([
        [0, "allowed", 2, 0],
        [0, "allowed", 1, 0],
        [0, "allowed", 0, 0],
        [0, "refused", 0, 1000],
        [1, "allowed", 0, 0],
        [5, "allowed", 2, 0],
        [6, "allowed", 2, 0],
      ]);
    });

    test("5 a second with burst 10: of 12 at once 10 pass; a second later one more leaves 4", async () => {
      const perKey = rule({ id: "per-key", amount: { rate: 5, per: "1s", burst: 10 } });
      const answers: CheckDecision[] = [];
      for (let i = 0; i < 12; i += 1) answers.push(await checkAt(0, perKey));
      expect(answers.map(({ verdict }) => verdict)).toEqual([
        ...Array(10).fill("allowed"),
        ...Array(2).fill("refused"),
      ]);
      expect(answers[11]?.binding).toMatchObject({ retryAfterMs: 200, remaining: 0 });
      const later = await checkAt(1, perKey);
      expect(later).toMatchObject({ verdict: "allowed", binding: { remaining: 4 } });
    });

    test("a refused creation spends nothing from the key's bucket", async () => {
      const perKey = rule({ id: "per-key", amount: { rate: 5, per: "1s", burst: 10 } });
      const creations = rule({
        id: "creations",
        amount: { rate: 1, per: "1s", burst: 3 },
        principal: "ip:198.51.100.7",
      });
      const answers: CheckDecision[] = [];
      for (let i = 0; i < 20; i += 1) answers.push(await checkAt(0, perKey, creations));
      expect(answers.filter(({ verdict }) => verdict === "allowed")).toHaveLength(3);
      expect(answers[19]?.binding).toMatchObject({ ruleId: "creations", retryAfterMs: 1000 });
      expect(await checkAt(0, perKey)).toMatchObject({ binding: { remaining: 6 } });
    });

    test("a refusal leaves every record as it was", async () => {
      const wide = rule({ id: "wide", amount: { rate: 5, per: "1s", burst: 10 } });
      const narrow = rule({ id: "narrow", amount: { rate: 1, per: "1h", burst: 1 } });
      const shadow = rule({
        id: "watched",
        amount: { rate: 9, per: "1m", burst: 9 },
        role: "shadow",
      });
      await checkAt(0, wide, narrow, shadow);
      const before = await subject.recordsOf(wide.key);
      expect(before).toHaveLength(3);
      const refused = await checkAt(0.5, wide, narrow, shadow);
      expect(refused.verdict).toBe("refused");
      expect(refused.perRule.map(({ charged }) => charged)).toEqual([false, false, false]);
      expect(await subject.recordsOf(wide.key)).toEqual(before);
    });

    test("a shadow rule's own refusal changes no verdict, and it is not charged for it", async () => {
      const wide = rule({ id: "wide", amount: { rate: 5, per: "1s", burst: 10 } });
      const tight = rule({
        id: "tight",
        amount: { rate: 1, per: "1h", burst: 2 },
        role: "shadow",
      });
      const answers: CheckDecision[] = [];
      for (let i = 0; i < 4; i += 1) answers.push(await checkAt(0, wide, tight));
      expect(answers.map(({ verdict }) => verdict)).toEqual(Array(4).fill("allowed"));
      expect(answers.map((each) => outcome(each, "tight")?.allowed)).toEqual([
        true,
        true,
        false,
        false,
      ]);
      expect(answers.map(({ binding }) => [binding?.ruleId, binding?.remaining])).toEqual([
        ["wide", 9],
        ["wide", 8],
        ["wide", 7],
        ["wide", 6],
      ]);
    });

    test("with only shadow rules there is no binding rule", async () => {
      const alone = rule({
        id: "alone",
        amount: { rate: 1, per: "1h", burst: 1 },
        role: "shadow",
      });
      await checkAt(0, alone);
      expect(await checkAt(0, alone)).toMatchObject({ verdict: "allowed", binding: null });
    });

    test("a shadow rule is charged only for what every enforced rule let pass", async () => {
      const gate = rule({ id: "gate", amount: { rate: 1, per: "1h", burst: 2 } });
      const watched = rule({
        id: "watched",
        amount: { rate: 1, per: "1h", burst: 9 },
        role: "shadow",
        principal: "ip:198.51.100.7",
      });
      for (let i = 0; i < 5; i += 1) await checkAt(0, gate, watched);
      const alone = await checkAt(0, watched);
      expect(outcome(alone, "watched")?.remaining).toBe(6);
    });

    test("from shadow to enforce the counter goes on", async () => {
      const amount = { rate: 1, per: "1h", burst: 5 };
      for (let i = 0; i < 3; i += 1)
        await checkAt(0, rule({ id: "promoted", amount, role: "shadow" }));
      expect(await checkAt(0, rule({ id: "promoted", amount }))).toMatchObject({
        binding: { remaining: 1 },
      });
    });

    test("a lowered limit clips, a raised one does not top up", async () => {
      const at = (burst: number) => rule({ id: "moved", amount: { rate: 1, per: "1h", burst } });
      expect(await checkAt(0, at(10))).toMatchObject({ binding: { remaining: 9 } });
      expect(await checkAt(0, at(4))).toMatchObject({ binding: { remaining: 3 } });
      expect(await checkAt(0, at(100))).toMatchObject({ binding: { remaining: 2 } });
    });

    test("records of rules that a check does not carry stay until they are full", async () => {
      const slow = rule({ id: "slow", amount: { rate: 1, per: "1m", burst: 1 } });
      const fast = rule({ id: "fast", amount: { rate: 1, per: "1s", burst: 1 } });
      await checkAt(0, slow);
      await checkAt(2, fast);
      expect((await subject.recordsOf(slow.key)).map(({ slot }) => slot)).toEqual([
        slow.slot,
        fast.slot,
      ]);
      await checkAt(61, fast);
      expect((await subject.recordsOf(slow.key)).map(({ slot }) => slot)).toEqual([fast.slot]);
    });

    test("a record past its full-at is forgotten, though another one keeps its key alive", async () => {
      const amount = (per: string) => ({ rate: 1, per, burst: 1 });
      const keeper = rule({ id: "keeper", amount: amount("1h"), role: "shadow" });
      await checkAt(0, rule({ id: "slowed", amount: amount("1s") }), keeper);
      const slowed = rule({ id: "slowed", amount: amount("1h") });
      expect((await checkAt(0.9, slowed, keeper)).verdict).toBe("refused");
      expect((await checkAt(1, slowed, keeper)).verdict).toBe("allowed");
    });

    test("a cost above the burst never passes and says so", async () => {
      const big = rule({ id: "big", amount: { rate: 5, per: "1s", burst: 10 }, cost: 11 });
      expect(await checkAt(0, big)).toMatchObject({
        verdict: "refused",
        binding: { retryAfterMs: null, remaining: 10 },
      });
      expect(await subject.recordsOf(big.key)).toEqual([]);
    });

    test("a cost is taken whole or not at all", async () => {
      const bytes = { id: "bytes", amount: { rate: 10, per: "1s", burst: 10 } };
      expect(await checkAt(0, rule({ ...bytes, cost: 7 }))).toMatchObject({ verdict: "allowed" });
      expect(await checkAt(0, rule({ ...bytes, cost: 4 }))).toMatchObject({
        verdict: "refused",
        binding: { remaining: 3, retryAfterMs: 100 },
      });
      expect(await checkAt(0.1, rule({ ...bytes, cost: 4 }))).toMatchObject({
        verdict: "allowed",
        binding: { remaining: 0 },
      });
    });

    test("who waits the answered time is served", async () => {
      const seven = rule({ id: "seven", amount: { rate: 7, per: "1m", burst: 7 } });
      let at = 0;
      for (let i = 0; i < 7; i += 1) await checkAt(at, seven);
      for (let i = 0; i < 20; i += 1) {
        at += 0.013;
        const refused = await checkAt(at, seven);
        expect(refused.verdict).toBe("refused");
        at += (refused.binding?.retryAfterMs ?? 0) / 1000;
        expect((await checkAt(at, seven)).verdict).toBe("allowed");
      }
    });

    test("of two refusing rules the longest wait binds, ties by id", async () => {
      const b = rule({ id: "b-hour", amount: { rate: 1, per: "1h", burst: 1 } });
      const a = rule({ id: "a-hour", amount: { rate: 1, per: "1h", burst: 1 } });
      const minute = rule({ id: "minute", amount: { rate: 1, per: "1m", burst: 1 } });
      await checkAt(0, minute, b, a);
      expect((await checkAt(0, minute, b, a)).binding?.ruleId).toBe("a-hour");
    });

    test("the greatest numbers stay exact", async () => {
      const huge = rule({
        id: "huge",
        amount: { rate: 1_000_000_000, per: "30d", burst: 1_000_000_000 },
      });
      expect(await checkAt(0, huge)).toMatchObject({ binding: { remaining: 999_999_999 } });
      const [record] = await subject.recordsOf(huge.key);
      expect(record).toMatchObject({ state: { level: 999_999_999_000_000, timeUs: START_US } });
    });

    test("100 at once on a limit of 60: exactly 60 pass", async () => {
      const sixty = rule({ id: "sixty", amount: { rate: 60, per: "1h", burst: 60 } });
      const answers = await Promise.all(Array.from({ length: 100 }, () => checkAt(0, sixty)));
      expect(answers.filter(({ verdict }) => verdict === "allowed")).toHaveLength(60);
    });

    test("a check that arrives after its expiry is not charged", async () => {
      const one = rule({ id: "one", amount: { rate: 1, per: "1h", burst: 1 } });
      const late = await subject.store.check({ rules: [one], expiryUs: START_US - 1 });
      expect(late).toMatchObject({ verdict: "unavailable", reason: "expired", nowUs: START_US });
      expect(await subject.recordsOf(one.key)).toEqual([]);
      const inTime = await subject.store.check({ rules: [one], expiryUs: START_US });
      expect(inTime.verdict).toBe("allowed");
    });

    test("a check of no rules is allowed and tells the time", async () => {
      expect(await checkAt(3)).toEqual({
        verdict: "allowed",
        binding: null,
        perRule: [],
        nowUs: START_US + 3 * SECOND_US,
        source: expect.stringMatching(/^(redis|local)$/),
      });
    });

    test("two rules on one bucket are a programming error", async () => {
      const one = rule({ id: "one", amount: { rate: 1, per: "1h", burst: 1 }, slot: 9 });
      await expect(
        (async () => subject.store.check({ rules: [one, { ...one, ruleId: "two" }] }))(),
      ).rejects.toThrow(/one and two mean one bucket: slot 9/);
    });
  });
}
