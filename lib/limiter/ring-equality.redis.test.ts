import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SystemClock } from "@/lib/clock";
import { tokenBucket } from "@/lib/core/bucket";
import { createLog } from "@/lib/log";
import { startRedis, type TestRedis } from "@/lib/testing/redis";
import { waitFor } from "@/lib/testing/wait-for";
import { createLimiter, type Limiter } from "./limiter";
import { createMemoryStore } from "./memory-store";
import { bucketKey, type LimiterRule } from "./state-key";

const NAMES = ["a", "b", "c"];
const clock = new SystemClock();
const log = createLog({ name: "test", level: "silent" });
let servers: TestRedis[];
let clients: Redis[];
let limiter: Limiter;

beforeAll(async () => {
  servers = await Promise.all(NAMES.map(() => startRedis()));
  clients = servers.map(({ url }) => new Redis(url));
  limiter = createLimiter({
    state: {
      kind: "ring",
      nodes: clients.map((redis, index) => ({ name: NAMES[index] ?? "", redis })),
    },
    environment: "test",
    clock,
    log,
    fleetSize: () => 1,
    // Only what Redis decides is compared.
    deadlineMs: 10_000,
  });
  await waitFor(() => limiter.status().clockOffsetMs !== null);
});

afterAll(async () => {
  limiter.close();
  for (const client of clients) client.disconnect();
  await Promise.all(servers.map((server) => server.stop()));
});

const bucket = fc.record({
  principal: fc.nat({ max: 5 }),
  burst: fc.integer({ min: 1, max: 4 }),
  /** candidate: the shadow of the enforced rule before it. */
  role: fc.constantFrom("enforced", "enforced", "shadow", "candidate"),
  cost: fc.constantFrom(1, 1, 1, 2),
});

const history = fc.record({
  buckets: fc.array(bucket, { minLength: 4, maxLength: 8 }),
  requests: fc.array(fc.uniqueArray(fc.nat({ max: 7 }), { minLength: 1, maxLength: 5 }), {
    minLength: 5,
    maxLength: 25,
  }),
});

test("any history on a ring is decided and charged as one store would", async () => {
  const seen = { spread: 0, refused: 0, later: 0, unasked: 0, refunded: 0, candidates: 0 };
  await fc.assert(
    fc.asyncProperty(history, async ({ buckets, requests }) => {
      const environment = randomBytes(6).toString("hex");
      const rules = buckets.map(({ principal, burst, role, cost }, slot): LimiterRule => {
        const isCandidate = role === "candidate" && buckets[slot - 1]?.role === "enforced";
        return {
          ruleId: `rule-${isCandidate ? slot - 1 : slot}`,
          key: bucketKey(environment, { principal: `key:${principal}`, slot, rest: [] }),
          slot,
          role: role === "enforced" ? "enforced" : "shadow",
          // Refills nothing while this runs.
          limit: tokenBucket({ rate: 1, per: "30d", burst }),
          cost,
          failMode: "local",
        };
      });
      const oracle = createMemoryStore({ clock });
      for (const request of requests) {
        const chosen = request.flatMap((index) => rules[index] ?? []);
        if (chosen.length === 0) continue;
        const before = limiter.counters.refunds;
        const first = await limiter.check(chosen);
        const decision = (await first.later) ?? first;
        const expected = oracle.checkNow({ rules: chosen });
        if (expected.verdict === "unavailable") throw new Error(expected.message);
        expect(first.verdict).toBe(expected.verdict);
        // Of two that refuse, milliseconds of this test's own decide which waits longer.
        if (first.verdict === "allowed")
          expect(first.binding?.ruleId).toBe(expected.binding?.ruleId);
        else expect(first.binding?.allowed).toBe(false);
        // From memory only the verdict is known, not what else the buckets hold.
        if (decision.memory !== undefined) continue;
        for (const [index, outcome] of decision.perRule.entries()) {
          const { charged, allowed, remaining } = expected.perRule[index] ?? {};
          if (outcome.unasked === true)
            expect([decision.verdict, charged]).toEqual(["refused", false]);
          else expect(outcome).toMatchObject({ charged, allowed, remaining });
          if (outcome.unasked === true) seen.unasked += 1;
          if (outcome.charged && decision.verdict === "refused") seen.candidates += 1;
        }
        if (new Set(chosen.map(({ key }) => key)).size > 1) seen.spread += 1;
        if (first.verdict === "refused") seen.refused += 1;
        if (first.later !== undefined) seen.later += 1;
        seen.refunded += limiter.counters.refunds - before;
      }
    }),
    { numRuns: 400 },
  );
  expect(limiter.counters).toMatchObject({ localDecisions: 0, lostRefunds: 0 });
  // A generator that never reaches a case would prove nothing about it.
  for (const [what, count] of Object.entries(seen))
    expect([what, count > 20]).toEqual([what, true]);
}, 60_000);
