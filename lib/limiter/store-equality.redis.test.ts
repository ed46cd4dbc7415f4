import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, expect, test } from "vitest";
import { tokenBucket } from "@/lib/core/bucket";
import type { BucketLimit } from "@/lib/core/bucket-limit";
import type { CheckRequest, CheckRule } from "@/lib/core/check";
import { isCurrent } from "@/lib/core/decide";
import { fixedWindow } from "@/lib/core/fixed-window";
import type { Rate } from "@/lib/core/limit";
import { decodeRecords, encodeRecords, type StateRecord } from "@/lib/core/record";
import { slidingWindow } from "@/lib/core/sliding-window";
import { sharedRedisUrl } from "@/lib/testing/services";
import { createMemoryStore } from "./memory-store";
import { createRedisStore } from "./redis-store";
import { START_US } from "./store-contract-suite";

const redis = new Redis(sharedRedisUrl());
afterAll(() => redis.disconnect());

/** So that the last slots are the greatest there are. */
const FIRST_SLOT = 4_294_967_290;

const AMOUNTS: Rate[] = [
  { rate: 1, per: "1h", burst: 1 },
  { rate: 1, per: "1h", burst: 7 },
  { rate: 7, per: "13s", burst: 7 },
  { rate: 7, per: "13s", burst: 3 },
  { rate: 1_000_000, per: "1s", burst: 1_000_000 },
  { rate: 1_000_000, per: "1s", burst: 3 },
  { rate: 5, per: "1s", burst: 10 },
  { rate: 1_000_000_000, per: "30d", burst: 1_000_000_000 },
  { rate: 3, per: "30d", burst: 36 },
];

const WINDOWS = [
  { rate: 1, per: "1s" },
  { rate: 3, per: "7s" },
  { rate: 10, per: "1m" },
  { rate: 1_000_000, per: "1h" },
  { rate: 4_000_000_000, per: "30d" },
];

const LIMITS: BucketLimit[] = [
  ...AMOUNTS.map(tokenBucket),
  ...AMOUNTS.map(tokenBucket),
  ...WINDOWS.map(slidingWindow),
  ...WINDOWS.map((amount) => fixedWindow(amount, "UTC")),
  fixedWindow({ rate: 5, per: "1d" }, "Europe/Paris"),
  fixedWindow({ rate: 2_000_000, per: "1mo" }, "America/New_York"),
  { algorithm: "concurrency", quota: 1, leaseSeconds: 1 },
  { algorithm: "concurrency", quota: 3, leaseSeconds: 30 },
  { algorithm: "concurrency", quota: 1_000_000, leaseSeconds: 3600 },
];

/** 100 µs polls, halves of periods, the waits of AMOUNTS, and steps of the clock, back and far ahead. */
const stepUs = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, 100, 3600, 999_999, 1_000_000, 1_857_143) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 20_000_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 40 * 86_400 }).map((s) => s * 1_000_000) },
  { weight: 1, arbitrary: fc.integer({ min: -7_000_000, max: -1 }) },
  { weight: 1, arbitrary: fc.constantFrom(-3_600_000_000, 3_600_000_000) },
);

/** One key in half of the histories, so that many buckets stand together; of these half are plain. */
const shape = fc.record({ keys: fc.constantFrom(1, 3), isPlain: fc.boolean() });

const ruleInput = fc.record({
  bucket: fc.nat({ max: 5 }),
  role: fc.constantFrom<CheckRule["role"]>("enforced", "enforced", "shadow"),
  limit: fc.constantFrom(...LIMITS),
  cost: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 12 }), fc.constant(1_000_000)),
  op: fc.oneof(
    { weight: 8, arbitrary: fc.constant("take" as const) },
    { weight: 1, arbitrary: fc.constantFrom("force" as const, "refund" as const) },
  ),
  lend: fc.option(fc.constantFrom(1, 5, 1_000_000_000), { freq: 6, nil: undefined }),
  /** Of what was lent: of how many generations ago, and how much is said to be spent. */
  spent: fc.option(
    fc.record({
      ago: fc.nat({ max: 2 }),
      current: fc.nat({ max: 3 }),
      previous: fc.nat({ max: 3 }),
    }),
    { freq: 3, nil: undefined },
  ),
});

type RuleInput = typeof ruleInput extends fc.Arbitrary<infer T> ? T : never;

function plain(input: RuleInput): RuleInput {
  const limit = tokenBucket(
    AMOUNTS[input.bucket % AMOUNTS.length] ?? { rate: 1, per: "1h", burst: 7 },
  );
  return { ...input, limit, op: "take", lend: undefined };
}

/** The rule of a bucket as an input says. Bucket 5 is a candidate of bucket 0. */
function checkRule(
  input: RuleInput,
  bucket: number,
  keys: readonly string[],
  nowUs: number,
): CheckRule {
  const { limit, cost, op, lend, spent } = input;
  const role = bucket === 5 ? "shadow" : input.role;
  const isInFlight = limit.algorithm === "concurrency";
  const key = `${keys[bucket % keys.length]}${isInFlight ? `:c${bucket}` : ""}`;
  const ruleId = bucket === 5 ? "r0" : `r${bucket}`;
  const rule: CheckRule = {
    ruleId,
    key,
    slot: FIRST_SLOT + bucket,
    role,
    limit,
    cost: isInFlight ? 1 : cost,
  };
  if (isInFlight) return rule;
  if (lend !== undefined && limit.algorithm === "token-bucket" && op === "take") {
    rule.lend = lend;
    if (spent !== undefined) {
      const { ago, current, previous } = spent;
      rule.spent = { generation: Math.floor(nowUs / 1_000_000) - ago, current, previous };
    }
  }
  if (op === "force") rule.op = op;
  // Of the window that is now: the store leaves others as they are.
  if (op === "refund") Object.assign(rule, { op, takenUs: nowUs });
  return rule;
}

/** What a key holds, for a comparison. */
async function heldBy(key: string, nowUs: number): Promise<string> {
  if (!/:c[0-9]$/.test(key)) {
    const [value] = await Promise.all([redis.getBuffer(key), redis.persist(key)]);
    return bytesAt(decodeRecords(value ?? new Uint8Array()), nowUs);
  }
  const [leases] = await Promise.all([
    redis.zrangebyscore(key, `(${nowUs}`, "+inf", "WITHSCORES"),
    redis.persist(key),
  ]);
  return JSON.stringify(leases);
}

function heldInMemory(
  records: readonly StateRecord[] | undefined,
  key: string,
  nowUs: number,
): string {
  if (!/:c[0-9]$/.test(key)) return bytesAt(records ?? [], nowUs);
  const [record] = records ?? [];
  const leases = record?.kind === "concurrency" ? [...record.leases] : [];
  const current = leases.filter(([, endUs]) => endUs > nowUs);
  // As a sorted set has them: by end, then by name.
  current.sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
  return JSON.stringify(current.flatMap(([id, endUs]) => [id, String(endUs)]));
}

const allKeys = (keys: readonly string[]) => [
  ...keys,
  ...[0, 1, 2, 3, 4, 5].map((bucket) => `${keys[bucket % keys.length]}:c${bucket}`),
];

/** Any, and often a candidate beside its live rule. */
function bucketsOf(maxLength: number) {
  const any = fc.uniqueArray(fc.nat({ max: 5 }), { minLength: 0, maxLength });
  return fc.oneof(
    any,
    any.map((buckets) => [...new Set([0, 5, ...buckets])]),
  );
}

/** A limit that a bucket keeps for most of a history and that changes midway, as a publish does. */
const history = fc.record({
  form: shape,
  standing: fc.array(ruleInput, { minLength: 6, maxLength: 6 }),
  steps: fc.array(
    fc.record({
      stepUs,
      buckets: bucketsOf(6),
      publish: fc.option(ruleInput, { freq: 6, nil: undefined }),
      expiryUs: fc.option(fc.integer({ min: -1, max: 1 }), { freq: 8, nil: undefined }),
      foreign: fc.option(
        fc.record({ fullIn: fc.integer({ min: -5, max: 5_000 }), isLeased: fc.boolean() }),
        { freq: 6, nil: undefined },
      ),
    }),
    { minLength: 1, maxLength: 40 },
  ),
});

/** A record of a kind that this build does not know, as a newer gateway might leave it. */
function unknownRecord(fullAt: number): Uint8Array {
  const bytes = Buffer.from([9, 14, 77, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
  bytes.writeUInt32LE(fullAt, 6);
  return bytes;
}

/** Bucket 0 with two tokens in it and two out on leases. */
function leasedRecord(fullAt: number, timeUs: number): Uint8Array {
  const generation = Math.floor(timeUs / 1_000_000);
  const leases = { generation, current: 2_000_000, previous: 0 };
  const state = { level: 2_000_000, timeUs, previous: 0, leases };
  return encodeRecords([{ kind: "token-bucket", slot: FIRST_SLOT, fullAt, state }]);
}

const bytesAt = (records: readonly StateRecord[], nowUs: number) =>
  Buffer.from(encodeRecords(records.filter((record) => isCurrent(record, nowUs)))).toString("hex");

test("both stores answer any history alike, and keep the same bytes", async () => {
  let nowUs = 0;
  const inRedis = createRedisStore({ redis, testTimeUs: () => nowUs });
  const seen = {
    allowed: 0,
    refused: 0,
    expired: 0,
    shadowRefused: 0,
    foreignKept: 0,
    leased: 0,
    sliding: 0,
    fixed: 0,
    inFlight: 0,
    candidates: 0,
  };
  let names = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ form, standing, steps }) => {
      const run = randomBytes(6).toString("hex");
      const states = new Map<string, StateRecord[]>();
      const clock = { nowMs: () => 0, monotonicMs: () => nowUs / 1000 };
      const inMemory = createMemoryStore({ clock, states });
      const keys = Array.from({ length: form.keys }, (_, n) => `equal:${run}:{p${n}}`);
      const current = [...standing];
      nowUs = START_US;
      for (const step of steps) {
        nowUs += step.stepUs;
        if (step.publish !== undefined) current[step.publish.bucket] = step.publish;
        const key = keys[0] ?? "";
        if (step.foreign !== undefined && states.has(key)) {
          const fullAt = Math.floor(nowUs / 1_000_000) + step.foreign.fullIn;
          const bytes = Buffer.concat([
            (await redis.getBuffer(key)) ?? Buffer.alloc(0),
            step.foreign.isLeased ? leasedRecord(fullAt, nowUs - 100) : unknownRecord(fullAt),
          ]);
          await redis.set(key, bytes, "KEEPTTL");
          states.set(key, decodeRecords(bytes));
        }
        const rules = step.buckets.flatMap((bucket): CheckRule[] => {
          const input = current[bucket];
          if (input === undefined) return [];
          return [checkRule(form.isPlain ? plain(input) : input, bucket, keys, nowUs)];
        });
        names += 1;
        const request: CheckRequest = { rules, leaseId: `n${names}` };
        if (step.expiryUs !== undefined) request.expiryUs = nowUs + step.expiryUs;
        const local = inMemory.checkNow(request);
        const shared = await inRedis.check(request);
        if (local.verdict === "unavailable") {
          expect(shared).toMatchObject({ reason: local.reason, nowUs });
          seen.expired += 1;
        } else {
          expect(shared).toEqual({ ...local, source: "redis" });
          seen[local.verdict] += 1;
          if (local.perRule.some(({ role, allowed }) => role === "shadow" && !allowed))
            seen.shadowRefused += 1;
        }
        for (const each of allKeys(keys)) {
          // The server's own clock must not end a key while the history's stands still.
          const records = states.get(each);
          expect(await heldBy(each, nowUs)).toBe(heldInMemory(records, each, nowUs));
          // Both may forget what is full; here at once, lest a clock set back brings it up again in one.
          if (records === undefined || records.length === 0) await redis.del(each);
          if (records?.some(({ kind }) => kind === "unknown")) seen.foreignKept += 1;
          if (
            records?.some(
              (record) => record.kind === "token-bucket" && record.state.leases !== null,
            )
          )
            seen.leased += 1;
          if (records?.some(({ kind }) => kind === "sliding-window")) seen.sliding += 1;
          if (records?.some(({ kind }) => kind === "fixed-window")) seen.fixed += 1;
          if (records?.some(({ kind }) => kind === "concurrency")) seen.inFlight += 1;
        }
        if (local.verdict === "refused" && local.perRule.some(({ charged }) => charged))
          seen.candidates += 1;
      }
    }),
    { numRuns: 200 },
  );
  // A generator that never reaches a case would prove nothing about it.
  for (const [what, count] of Object.entries(seen))
    expect([what, count > 20]).toEqual([what, true]);
});

/** Checks of one turn of the event loop, which travel together: of few buckets, so that they meet. */
const turn = fc.record({
  stepUs,
  checks: fc.array(
    fc.record({
      buckets: bucketsOf(4),
      expiryUs: fc.option(fc.integer({ min: -1, max: 1 }), { freq: 8, nil: undefined }),
    }),
    { minLength: 1, maxLength: 80 },
  ),
});

test("checks that travel together are decided one after another, as in memory", async () => {
  let nowUs = 0;
  const inRedis = createRedisStore({ redis, testTimeUs: () => nowUs });
  const seen = { allowed: 0, refused: 0, unavailable: 0 };
  let names = 0;
  const inputs = fc.record({
    form: shape,
    standing: fc.array(ruleInput, { minLength: 6, maxLength: 6 }),
    turns: fc.array(turn, { minLength: 1, maxLength: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(inputs, async ({ form, standing, turns }) => {
      const run = randomBytes(6).toString("hex");
      const states = new Map<string, StateRecord[]>();
      const clock = { nowMs: () => 0, monotonicMs: () => nowUs / 1000 };
      const inMemory = createMemoryStore({ clock, states });
      const keys = Array.from({ length: form.keys }, (_, n) => `together:${run}:{p${n}}`);
      nowUs = START_US;
      for (const { stepUs: step, checks } of turns) {
        nowUs += Math.abs(step);
        const requests = checks.map(({ buckets, expiryUs }): CheckRequest => {
          const rules = buckets.flatMap((bucket): CheckRule[] => {
            const input = standing[bucket];
            if (input === undefined) return [];
            return [checkRule(form.isPlain ? plain(input) : input, bucket, keys, nowUs)];
          });
          names += 1;
          const request: CheckRequest = { rules, leaseId: `n${names}` };
          if (expiryUs !== undefined) request.expiryUs = nowUs + expiryUs;
          return request;
        });
        const local = requests.map((request) => inMemory.checkNow(request));
        const shared = await Promise.all(requests.map((request) => inRedis.check(request)));
        for (const [index, result] of local.entries()) {
          seen[result.verdict] += 1;
          if (result.verdict === "unavailable")
            expect(shared[index]).toMatchObject({ reason: result.reason, nowUs });
          else expect(shared[index]).toEqual({ ...result, source: "redis" });
        }
        for (const key of allKeys(keys))
          expect(await heldBy(key, nowUs)).toBe(heldInMemory(states.get(key), key, nowUs));
      }
    }),
    { numRuns: 100 },
  );
  for (const [what, count] of Object.entries(seen))
    expect([what, count > 20]).toEqual([what, true]);
});
