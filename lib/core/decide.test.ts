import fc from "fast-check";
import { expect, test } from "vitest";
import { MICRO, tokenBucket } from "./bucket";
import type { CheckRule } from "./check";
import { decide } from "./decide";
import type { StateRecord } from "./record";

const NOW = 1_700_000_000_000_000;

const ruleInput = fc.record({
  key: fc.constantFrom("a", "b"),
  role: fc.constantFrom<CheckRule["role"]>("enforced", "shadow"),
  rate: fc.integer({ min: 1, max: 20 }),
  burst: fc.integer({ min: 1, max: 5 }),
  cost: fc.integer({ min: 1, max: 6 }),
  /** Tokens left; undefined = never seen. */
  level: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
});

type RuleInput = typeof ruleInput extends fc.Arbitrary<infer T> ? T : never;

function situation(inputs: readonly RuleInput[]) {
  const records = new Map<string, StateRecord[]>();
  const rules = inputs.map(({ key, role, rate, burst, cost, level }, index): CheckRule => {
    const slot = index + 1;
    if (level !== undefined && level < burst) {
      const state = { level: level * MICRO, timeUs: NOW, previous: 0, leases: null };
      const fullAt = NOW / MICRO + 3600;
      records.set(key, [
        ...(records.get(key) ?? []),
        { kind: "token-bucket", slot, fullAt, state },
      ]);
    }
    return {
      ruleId: `r${slot}`,
      key,
      slot,
      role,
      limit: tokenBucket({ rate, per: "1h", burst }),
      cost,
    };
  });
  return { rules, records };
}

const decideAt = (nowUs: number, { rules, records }: ReturnType<typeof situation>) =>
  decide({ rules, records, nowUs, source: "local" });

test("a shadow rule changes nothing for the enforced ones: verdict, binding, their records", () => {
  fc.assert(
    fc.property(fc.array(ruleInput, { minLength: 1, maxLength: 8 }), (inputs) => {
      const all = situation(inputs);
      const enforced = { ...all, rules: all.rules.filter(({ role }) => role === "enforced") };
      const withShadow = decideAt(NOW, all);
      const without = decideAt(NOW, enforced);
      expect(withShadow.decision.verdict).toBe(without.decision.verdict);
      expect(withShadow.decision.binding).toEqual(without.decision.binding);
      const slots = new Set(enforced.rules.map(({ slot }) => slot));
      const enforcedAfter = ({ writes }: typeof without) => {
        const after = new Map<string, readonly StateRecord[]>(all.records);
        for (const { key, records } of writes) after.set(key, records);
        return [...after.values()]
          .flat()
          .filter(({ slot }) => slots.has(slot))
          .sort((a, b) => a.slot - b.slot);
      };
      expect(enforcedAfter(withShadow)).toEqual(enforcedAfter(without));
    }),
  );
});

test("each shadow rule decides as if it alone had joined the enforced ones", () => {
  fc.assert(
    fc.property(fc.array(ruleInput, { minLength: 1, maxLength: 8 }), (inputs) => {
      const all = situation(inputs);
      const together = decideAt(NOW, all).decision;
      for (const [index, rule] of all.rules.entries()) {
        if (rule.role === "enforced") continue;
        const joined = all.rules
          .filter((other) => other === rule || other.role === "enforced")
          .map((other) => ({ ...other, role: "enforced" as const }));
        const alone = decideAt(NOW, { rules: joined, records: all.records }).decision;
        const wouldPass =
          together.verdict === "allowed" && together.perRule[index]?.allowed === true;
        expect(wouldPass).toBe(alone.verdict === "allowed");
        expect(together.perRule[index]?.charged).toBe(wouldPass);
      }
    }),
  );
});

test("all enforced rules are charged or none is, and a refusal writes nothing", () => {
  fc.assert(
    fc.property(fc.array(ruleInput, { minLength: 1, maxLength: 8 }), (inputs) => {
      const { decision, writes } = decideAt(NOW, situation(inputs));
      const charged = decision.perRule.filter((each) => each.role === "enforced" && each.charged);
      const enforced = decision.perRule.filter((each) => each.role === "enforced");
      expect(charged.length).toBe(decision.verdict === "allowed" ? enforced.length : 0);
      if (decision.verdict === "refused") expect(writes).toEqual([]);
    }),
  );
});

test("a key lives exactly until its last record is full", () => {
  const hourly = { key: "a", role: "enforced", rate: 1, burst: 5, cost: 1, level: 4 } as const;
  const { rules, records } = situation([hourly, { ...hourly, level: undefined }]);
  const [first] = decideAt(NOW, { rules, records }).writes;
  expect(first).toMatchObject({ key: "a", ttlSeconds: 7200 });
  const [later] = decideAt(NOW + 1, { rules: rules.slice(1), records }).writes;
  expect(later?.ttlSeconds).toBe(3601);
});

test("what no rule of the check names stays until its full-at, then goes", () => {
  const { rules } = situation([
    { key: "a", role: "enforced", rate: 1, burst: 5, cost: 1, level: undefined },
  ]);
  const unknown: StateRecord = {
    kind: "unknown",
    slot: 1,
    fullAt: NOW / MICRO + 10,
    bytes: Uint8Array.of(9, 10, 1, 0, 0, 0, 0, 0, 0, 0),
  };
  const records = new Map([["a", [unknown]]]);
  const slotsAt = (nowUs: number) =>
    decideAt(nowUs, { rules, records }).writes[0]?.records.map(({ kind }) => kind);
  expect(slotsAt(NOW + 10 * MICRO - 1)).toEqual(["unknown", "token-bucket"]);
  expect(slotsAt(NOW + 10 * MICRO)).toEqual(["token-bucket"]);
});

test("a record past its full-at counts as full, whatever else keeps its key alive", () => {
  const { rules, records } = situation([
    { key: "a", role: "enforced", rate: 1, burst: 5, cost: 1, level: 0 },
  ]);
  expect(decideAt(NOW + 3600 * MICRO - 1, { rules, records }).decision.verdict).toBe("refused");
  expect(decideAt(NOW + 3600 * MICRO, { rules, records }).decision.perRule[0]?.remaining).toBe(4);
});

test("a full bucket takes no room", () => {
  const hourly = {
    key: "a",
    role: "enforced",
    rate: 1,
    burst: 5,
    cost: 1,
    level: undefined,
  } as const;
  const never = { ...hourly, role: "shadow", cost: 6 } as const;
  const [write] = decideAt(NOW, situation([hourly, never])).writes;
  expect(write?.records.map(({ slot }) => slot)).toEqual([1]);
});
