import { SystemClock } from "@/lib/clock";
import { createMemoryStore } from "@/lib/limiter/memory-store";
import { type Check, compare } from "./drive";
import { type Figure, figure } from "./figure";
import { withRedis } from "./server";
import { headgate, plain, rulesOf } from "./subjects";

const CLIENTS = 50_000;
const CHECKS = 4_000;
const ROUNDS = 50;

/** What a check costs Redis, against a plain script for each rule, in turns in one run; and round trips. */
export function benchCheck(): Promise<Figure[]> {
  return withRedis(async (redis) => {
    const sides = {
      one: headgate(redis, 1),
      two: headgate(redis, 2),
      three: headgate(redis, 3),
      eight: headgate(redis, 8),
      plainTwo: plain(redis, 2),
      plainThree: plain(redis, 3),
    };
    const plan = { redis, clients: CLIENTS, checks: CHECKS, rounds: ROUNDS, inFlight: 50 };
    const cost = await compare(sides, plan);
    const alone = await compare(
      { two: sides.two, plainTwo: sides.plainTwo },
      { ...plan, checks: CHECKS / 4, inFlight: 1 },
    );
    const latencies = await sequential(sides.two, 5_000);
    const ratio = (a: keyof typeof sides, b: keyof typeof sides) => cost[a].redis / cost[b].redis;
    return [
      figure("check.redis-cpu.one-rule", cost.one.redis, "µs"),
      figure("check.redis-cpu.two-rules", cost.two.redis, "µs"),
      figure("check.redis-cpu.three-rules", cost.three.redis, "µs"),
      figure("check.redis-cpu.eight-rules", cost.eight.redis, "µs"),
      figure("check.redis-cpu.plain-two-rules", cost.plainTwo.redis, "µs"),
      figure("check.redis-cpu.plain-three-rules", cost.plainThree.redis, "µs"),
      figure("check.redis-cpu.two-to-plain", ratio("two", "plainTwo"), "x", { atMost: 0.62 }),
      figure("check.redis-cpu.three-to-plain", ratio("three", "plainThree"), "x", { atMost: 0.48 }),
      figure("check.redis-cpu.eight-to-one", ratio("eight", "one"), "x", { atMost: 2 }),
      figure("check.alone.redis-cpu.two-rules", alone.two.redis, "µs"),
      figure("check.alone.redis-cpu.plain-two-rules", alone.plainTwo.redis, "µs"),
      figure("check.round-trip.p50", quantile(latencies, 0.5), "ms"),
      figure("check.round-trip.p99", quantile(latencies, 0.99), "ms"),
      figure("check.local", localMicros(), "µs", { atMost: 10 }),
    ];
  });
}

async function sequential(check: Check, count: number): Promise<number[]> {
  const tookMs: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const startMs = performance.now();
    await check(i % CLIENTS);
    tookMs.push(performance.now() - startMs);
  }
  return tookMs.sort((a, b) => a - b);
}

function localMicros(): number {
  const store = createMemoryStore({ clock: new SystemClock() });
  const requests = Array.from({ length: 1_000 }, (_, client) => ({ rules: rulesOf(client, 2) }));
  const round = () => {
    const startMs = performance.now();
    for (let i = 0; i < CHECKS; i += 1)
      store.checkNow(requests[i % requests.length] ?? { rules: [] });
    return ((performance.now() - startMs) * 1000) / CHECKS;
  };
  round();
  return Math.min(...Array.from({ length: ROUNDS }, round));
}

function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
