import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { tokenBucket } from "@/lib/core/bucket";
import { type LimiterRule, stateKey } from "@/lib/limiter/state-key";
import { scriptCalls } from "@/lib/testing/hammer";
import { type Figure, figure } from "./figure";
import { benchLocal } from "./local";
import { openLimiter } from "./open-limiter";
import { withRedis } from "./server";

const PER_SECOND = 5_000;
const SECONDS = 8;

/** One key, 5,000 times a second through one limiter as a gateway has it. Calls are counted by Redis, probes included. */
export function benchHotKey(): Promise<Figure[]> {
  return withRedis(async (redis) => {
    const below = await run(redis, 0.8);
    const above = await run(redis, 5);
    return [
      figure("hot-key.at-80-percent.calls-per-check", below.calls, "x", { atMost: 0.01 }),
      figure("hot-key.at-80-percent.admitted", below.admitted, "x", { atLeast: 0.97 }),
      figure("hot-key.at-5-times.calls-per-check", above.calls, "x", { atMost: 0.01 }),
      figure("hot-key.at-5-times.admitted-of-limit", above.admitted, "x", { atLeast: 0.97 }),
      figure("hot-key.at-5-times.beyond-bound", above.beyond, "tokens", { atMost: 0 }),
      ...(await benchLocal(redis)),
    ];
  });
}

/** `load` is the use as a share of the limit; `admitted` of what may pass. */
async function run(redis: Redis, load: number) {
  const rate = PER_SECOND / load;
  const rule: LimiterRule = {
    ruleId: "hot",
    key: stateKey("bench", `key:at-${load}`),
    slot: 1,
    role: "enforced",
    limit: tokenBucket({ rate, per: "1s", burst: rate }),
    cost: 1,
    failMode: "closed",
    precision: "leased",
  };
  const { limiter, close } = await openLimiter(redis);
  const before = await scriptCalls(redis);
  const startMs = performance.now();
  let sent = 0;
  let admitted = 0;
  const decisions: Promise<void>[] = [];
  for (let elapsedMs = 0; elapsedMs < SECONDS * 1000; elapsedMs = performance.now() - startMs) {
    for (; sent < (elapsedMs * PER_SECOND) / 1000; sent += 1)
      decisions.push(
        limiter.check([rule]).then(({ verdict }) => {
          if (verdict === "allowed") admitted += 1;
        }),
      );
    await sleep(1);
  }
  await Promise.all(decisions);
  const bound = rate + (rate * (performance.now() - startMs)) / 1000;
  const calls = ((await scriptCalls(redis)) - before) / sent;
  close();
  return {
    calls,
    admitted: admitted / Math.min(sent, bound),
    beyond: Math.max(0, admitted - bound),
  };
}
