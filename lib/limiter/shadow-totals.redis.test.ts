import { randomBytes } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, expect, test } from "vitest";
import type { BucketLimit } from "@/lib/core/bucket-limit";
import type { CheckRule } from "@/lib/core/check";
import { sharedRedisUrl } from "@/lib/testing/services";
import { arrivals, checkRules, LIMITS, Totals } from "@/lib/testing/shadow-totals";
import { createRedisStore } from "./redis-store";
import { START_US } from "./store-contract-suite";

const redis = new Redis(sharedRedisUrl());
afterAll(() => redis.disconnect());

test("on Redis, too, shadow and then enforced agree within 1 % beside two rules that forget sooner", async () => {
  let nowUs = START_US;
  const store = createRedisStore({ redis, testTimeUs: () => nowUs });
  const run = `totals:${randomBytes(6).toString("hex")}`;
  const [other, another, limit] = [LIMITS[0], LIMITS[2], LIMITS[4]].map((one) => one?.limit) as [
    BucketLimit,
    BucketLimit,
    BucketLimit,
  ];
  const requests = arrivals({ seed: 4, clients: 12, requests: 3_000, seconds: 900, burst: 12 });
  async function play(role: CheckRule["role"]): Promise<Totals> {
    const totals = new Totals();
    for (const { atUs, client } of requests) {
      nowUs = START_US + atUs;
      const rules = checkRules(`${run}:${role}`, client, { role, limit, others: [other, another] });
      totals.count(client, await store.check({ rules }));
    }
    return totals;
  }
  const shadow = await play("shadow");
  const enforced = await play("enforced");
  expect(Math.min(shadow.refused, shadow.newly)).toBeGreaterThan(100);
  expect(Math.abs(shadow.all - enforced.all)).toBeLessThanOrEqual(0.01 * enforced.all + 1);
}, 30_000);
