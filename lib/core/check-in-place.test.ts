import fc from "fast-check";
import { expect, test } from "vitest";
import { type BucketState, tokenBucket } from "./bucket";
import { BucketCells } from "./bucket-cells";
import type { BucketLimit } from "./bucket-limit";
import type { CheckRule } from "./check";
import { createCheckInPlace } from "./check-in-place";
import { decide, isCurrent } from "./decide";
import { fixedWindow } from "./fixed-window";
import type { StateRecord } from "./record";
import { slidingWindow } from "./sliding-window";

const START_US = 1_700_000_000_000_000;

/** What one bucket may be held to from one request to the next: the amounts of several plans. */
const KINDS: BucketLimit[][] = [
  [
    tokenBucket({ rate: 1, per: "1h", burst: 1 }),
    tokenBucket({ rate: 7, per: "13s", burst: 7 }),
    tokenBucket({ rate: 1_000_000, per: "1s", burst: 1_000_000 }),
    tokenBucket({ rate: 60, per: "1m", burst: 3 }),
    tokenBucket({ rate: 3, per: "30d", burst: 36 }),
  ],
  [
    slidingWindow({ rate: 3, per: "7s" }),
    slidingWindow({ rate: 3, per: "1m" }),
    slidingWindow({ rate: 9, per: "1m" }),
  ],
  [
    fixedWindow({ rate: 4, per: "1m" }, "UTC"),
    fixedWindow({ rate: 2, per: "15m" }, "UTC"),
    fixedWindow({ rate: 5, per: "1d" }, "Europe/Paris"),
    fixedWindow({ rate: 20, per: "1mo" }, "America/New_York"),
  ],
];

/** Four enforced rules and four that count, of which the last two are candidates of the first two. */
const history = fc.record({
  kinds: fc.array(fc.nat({ max: KINDS.length - 1 }), { minLength: 8, maxLength: 8 }),
  steps: fc.array(
    fc.record({
      afterUs: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(0, 1, 100, 999_999, 1_000_000, 1_857_143) },
        { weight: 4, arbitrary: fc.integer({ min: 0, max: 20_000_000 }) },
        {
          weight: 1,
          arbitrary: fc.integer({ min: 0, max: 40 * 86_400 }).map((s) => s * 1_000_000),
        },
      ),
      rules: fc.uniqueArray(fc.nat({ max: 7 }), { minLength: 1, maxLength: 8 }),
      client: fc.nat({ max: 1 }),
      plan: fc.nat({ max: 4 }),
      cost: fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 4 })),
    }),
    { minLength: 1, maxLength: 60 },
  ),
});

test("a check in place says who passes, and keeps of every bucket, what decide does", () => {
  const seen = { allowed: 0, refused: 0, candidates: 0 };
  fc.assert(
    fc.property(history, ({ kinds, steps }) => {
      const records = new Map<string, StateRecord[]>();
      const buckets = new Map<string, number>();
      const cells = new BucketCells();
      const { isAllowed, passes } = createCheckInPlace(cells);
      let nowUs = START_US;
      for (const { afterUs, rules, client, plan, cost } of steps) {
        nowUs += afterUs;
        const checked = rules.map((index): CheckRule => {
          const amounts = KINDS[kinds[index] ?? 0] ?? [];
          const limit = amounts[plan % amounts.length] as BucketLimit;
          return {
            ruleId: `r${index >= 6 ? index - 6 : index}`,
            key: `${index} of ${client}`,
            slot: index + 1,
            role: index < 4 ? "enforced" : "shadow",
            limit,
            cost,
          };
        });
        const held = checked.map((check) => {
          const bucket = buckets.get(check.key) ?? cells.add();
          buckets.set(check.key, bucket);
          return { check, limit: check.limit, cost: check.cost, bucket };
        });
        const allowed = isAllowed(held, nowUs);
        const { decision, writes } = decide({ rules: checked, records, nowUs, source: "local" });
        for (const write of writes) records.set(write.key, write.records);
        expect(allowed).toBe(decision.verdict === "allowed");
        expect(passes.slice(0, checked.length)).toEqual(decision.perRule.map((one) => one.allowed));
        for (const [key, bucket] of buckets)
          expect(keptOf(cells, bucket, nowUs)).toEqual(kept(records, key, nowUs));
        if (decision.verdict === "allowed") seen.allowed += 1;
        else seen.refused += 1;
        if (decision.verdict === "refused" && decision.perRule.some((one) => one.charged))
          seen.candidates += 1;
      }
    }),
    { numRuns: 300 },
  );
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(1);
});

function keptOf(cells: BucketCells, bucket: number, nowUs: number): unknown {
  const state: BucketState = { level: 0, timeUs: 0, previous: 0, leases: null };
  return cells.read(bucket, state, nowUs) ? state : undefined;
}

function kept(records: Map<string, StateRecord[]>, key: string, nowUs: number): unknown {
  const [record] = records.get(key) ?? [];
  if (record === undefined || !isCurrent(record, nowUs) || !("state" in record)) return undefined;
  return record.state;
}
