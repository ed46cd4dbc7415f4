import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, expect, test } from "vitest";
import type { CheckDecision } from "@/lib/core/check";
import { compileRuleset } from "@/lib/core/compile-ruleset";
import { decodeRecords } from "@/lib/core/record";
import type { Body } from "@/lib/core/ruleset";
import { drawOf } from "@/lib/core/share";
import { bucketKey } from "@/lib/core/state-key";
import { limiterRule } from "@/lib/limiter";
import { createRedisStore } from "@/lib/limiter/redis-store";
import { bodyOf, factsOf, ruleOf } from "@/lib/testing/rules";
import { sharedRedisUrl } from "@/lib/testing/services";
import { limitFields } from "./answers";

const START_US = 1_700_000_000_000_000;
const ID = { epoch: 1_767_225_600, version: 3, hash: "a".repeat(64) };
const TRIED_SLOT = 77;
const redis = new Redis(sharedRedisUrl());
afterAll(() => redis.disconnect());

let nowUs = START_US;
const store = createRedisStore({ redis, testTimeUs: () => nowUs });

const limit = fc.oneof(
  fc.record({
    kind: fc.constant("rate" as const),
    algorithm: fc.constant("token-bucket" as const),
    default: fc.record({
      rate: fc.integer({ min: 1, max: 20 }),
      per: fc.constantFrom("10s", "1m", "1h"),
      burst: fc.integer({ min: 1, max: 5 }),
    }),
  }),
  fc.record({
    kind: fc.constant("rate" as const),
    algorithm: fc.constantFrom("sliding-window" as const, "fixed-window" as const),
    default: fc.record({
      rate: fc.integer({ min: 1, max: 5 }),
      per: fc.constantFrom("10s", "1m"),
    }),
  }),
);

/** Of these, two are of the first per cent and five of the first ten. */
const CLIENTS = [
  ...clientsWhere((draw) => draw < 100, 2),
  ...clientsWhere((draw) => draw >= 100 && draw < 1_000, 3),
  ...clientsWhere((draw) => draw >= 1_000, 4),
];

function clientsWhere(holds: (draw: number) => boolean, count: number): string[] {
  const found: string[] = [];
  for (let n = 0; found.length < count; n += 1)
    if (holds(drawOf("tried", `key:c${n}`))) found.push(`c${n}`);
  return found;
}

const steps = fc.array(
  fc.record({
    // Bursts and pauses, so that every limit refuses in most histories.
    afterUs: fc.oneof(fc.constant(0), fc.nat({ max: 300_000 }), fc.nat({ max: 8_000_000 })),
    client: fc.constantFrom(...CLIENTS.slice(0, 2), ...CLIENTS.slice(3, 5), ...CLIENTS.slice(6)),
  }),
  { minLength: 30, maxLength: 60 },
);
type Steps = { afterUs: number; client: string }[];
type LimitInput = Parameters<typeof ruleOf>[0];

type Lanes = { live: LimitInput; candidate?: LimitInput; share?: Body["rules"][number]["share"] };

/** One rule that is tried, and others that are enforced beside it. */
function bodyWith({ live, candidate, share }: Lanes, others: readonly LimitInput[]): Body {
  const body = bodyOf([
    ruleOf(live, { id: "tried" }),
    ...others.map((other, n) => ruleOf(other, { id: `other-${n}` })),
  ]);
  if (candidate === undefined) return body;
  const entry = { revision: 2, slot: TRIED_SLOT, rule: ruleOf(candidate, { id: "tried" }) };
  const rules = body.rules.map((rule) =>
    rule.id === "tried" ? { ...rule, candidate: entry, share: share ?? 0 } : rule,
  );
  return { ...body, rules };
}

/** The candidate's revision as what is live, with the counters that it had. */
function promoted(candidate: LimitInput, others: readonly LimitInput[]): Body {
  const body = bodyWith({ live: candidate }, others);
  const rules = body.rules.map((rule) =>
    rule.id === "tried" && rule.live
      ? { id: rule.id, live: { ...rule.live, revision: 2, slot: TRIED_SLOT } }
      : rule,
  );
  return { ...body, rules };
}

type Answer = { client: string; status: string; fields: string; enforced: string };

/** Sends a history through a gateway's own parts: what each request is answered. */
async function play(environment: string, bodyAt: (step: number) => Body, history: Steps) {
  nowUs = START_US;
  const answers: Answer[] = [];
  const compiled = new Map<Body, ReturnType<typeof compileRuleset>>();
  for (const [step, { afterUs, client }] of history.entries()) {
    nowUs += afterUs;
    const body = bodyAt(step);
    const index = compiled.get(body) ?? compileRuleset(body, ID);
    compiled.set(body, index);
    const matched = index.match(factsOf({ key: client }));
    const rules = matched.map((rule) => limiterRule(environment, rule));
    const result = await store.check({ rules });
    if (result.verdict === "unavailable") throw new Error(result.reason);
    const decision = { ...result, unchecked: [] };
    answers.push({
      client,
      status: result.verdict,
      fields: JSON.stringify(limitFields(index, matched, decision)),
      enforced: enforcedOf(result),
    });
  }
  return answers;
}

function enforcedOf({ perRule }: CheckDecision): string {
  return JSON.stringify(perRule.filter(({ role }) => role === "enforced"));
}

/** What is kept of all slots but the candidate's. */
async function bucketsOf(environment: string): Promise<string[]> {
  const keys = CLIENTS.map((client) =>
    bucketKey(environment, { ...ALONE, principal: `key:${client}` }),
  );
  const values = await Promise.all(keys.map((key) => redis.getBuffer(key)));
  return keys.flatMap((key, i) =>
    decodeRecords(values[i] ?? new Uint8Array())
      .filter(({ slot, fullAt }) => slot !== TRIED_SLOT && fullAt * 1_000_000 > nowUs)
      .map((record) => `${key.slice(`hg:${environment}:`.length)} ${JSON.stringify(record)}`)
      .sort(),
  );
}

const ALONE = { slot: 1, rest: [], isAlone: false };
const named = () => `cand-${randomBytes(6).toString("hex")}`;
const world = { live: limit, candidate: limit, others: fc.array(limit, { maxLength: 2 }), steps };

test("a candidate beside what is live changes no status, header or enforced bucket at share 0", async () => {
  const seen = { refused: 0, allowed: 0 };
  await fc.assert(
    fc.asyncProperty(fc.record(world), async ({ live, candidate, others, steps }) => {
      const [alone, beside] = [named(), named()];
      const without = bodyWith({ live }, others);
      const tried = bodyWith({ live, candidate }, others);
      const plain = await play(alone, () => without, steps);
      const plainBuckets = await bucketsOf(alone);
      expect(await play(beside, () => tried, steps)).toEqual(plain);
      expect(await bucketsOf(beside)).toEqual(plainBuckets);
      for (const { status } of plain) seen[status === "refused" ? "refused" : "allowed"] += 1;
    }),
    { numRuns: 12 },
  );
  for (const [what, count] of Object.entries(seen))
    expect([what, count > 50]).toEqual([what, true]);
});

test("at a share exactly the chosen clients meet the candidate, the others what is live, and 1 % is part of 10 %", async () => {
  const seen = { chosen: 0, others: 0, differing: 0 };
  await fc.assert(
    fc.asyncProperty(fc.record(world), async ({ live, candidate, others, steps }) => {
      const asLive = await play(named(), () => bodyWith({ live }, others), steps);
      const asTried = await play(named(), () => promoted(candidate, others), steps);
      for (const share of [1, 10, 100, { paid: 100 }]) {
        const body = bodyWith({ live, candidate, share }, others);
        const answers = await play(named(), () => body, steps);
        const bound = typeof share === "number" ? share : 0;
        for (const [i, answer] of answers.entries()) {
          const isChosen = drawOf("tried", `key:${answer.client}`) < bound * 100;
          expect([share, answer]).toEqual([share, (isChosen ? asTried : asLive)[i]]);
          seen[isChosen ? "chosen" : "others"] += 1;
          if (asTried[i]?.fields !== asLive[i]?.fields) seen.differing += 1;
        }
      }
    }),
    { numRuns: 5 },
  );
  for (const [what, count] of Object.entries(seen))
    expect([what, count > 30]).toEqual([what, true]);
});

test("promoted, or enforced for all, a candidate goes on as if it had been live since it is tried", async () => {
  const seen = { refused: 0, afterwards: 0 };
  await fc.assert(
    fc.asyncProperty(fc.record(world), async ({ live, candidate, steps }) => {
      const since = await play(named(), () => promoted(candidate, []), steps);
      const half = Math.floor(steps.length / 2);
      const [tried, all, last] = [
        bodyWith({ live, candidate }, []),
        bodyWith({ live, candidate, share: 100 }, []),
        promoted(candidate, []),
      ];
      for (const next of [all, last]) {
        const answers = await play(named(), (step) => (step < half ? tried : next), steps);
        expect(answers.slice(half)).toEqual(since.slice(half));
      }
      seen.afterwards += steps.length - half;
      seen.refused += since.slice(half).filter(({ status }) => status === "refused").length;
    }),
    { numRuns: 8 },
  );
  for (const [what, count] of Object.entries(seen))
    expect([what, count > 20]).toEqual([what, true]);
});
