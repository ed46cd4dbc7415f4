import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { hammer } from "@/lib/testing/hammer";
import { sharedRedisUrl } from "@/lib/testing/services";

const AMOUNT = { rate: 300, per: "1s", burst: 300 };

/** `npm run bench -- hammer` does it for half a minute. */
const SHORT = { seconds: 3, processes: 4, limiters: 10 };

test.each(["exact", "leased"] as const)(
  "40 limiters in four processes never admit more than burst + rate x T of one key: %s",
  async (precision) => {
    const principal = `key:${randomBytes(6).toString("hex")}`;
    const plan = { redisUrl: sharedRedisUrl(), principal, precision, amount: AMOUNT, ...SHORT };
    const { admitted, local, seconds, firstUs, lastUs, refused, memory } = await hammer(plan);
    expect(local).toBe(0);
    expect(refused).toBeGreaterThan(AMOUNT.burst);
    expect(admitted).toBeLessThanOrEqual(AMOUNT.burst + AMOUNT.rate * seconds);
    if (precision === "leased") {
      expect(memory).toBeGreaterThan(AMOUNT.burst);
      return;
    }
    const may = AMOUNT.burst + (AMOUNT.rate * (lastUs - firstUs)) / 1_000_000;
    expect(admitted).toBeLessThanOrEqual(may + 1);
    expect(admitted).toBeGreaterThanOrEqual(0.99 * may);
  },
  60_000,
);
