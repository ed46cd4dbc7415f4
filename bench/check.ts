import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { SystemClock } from "@/lib/clock";
import { tokenBucket } from "@/lib/core/bucket";
import type { CheckRule } from "@/lib/core/check";
import type { Rate } from "@/lib/core/limit";
import { createMemoryStore } from "@/lib/limiter/memory-store";
import { createRedisStore } from "@/lib/limiter/redis-store";
import { stateKey } from "@/lib/limiter/state-key";
import { startRedis } from "@/lib/testing/redis";
import { type Figure, figure } from "./figure";

const CHECKS = 20_000;
/** Of which the best counts: the others say more about who else used the machine. */
const ROUNDS = 7;
const IN_FLIGHT = 50;
const CLIENTS = 1_000;

const AMOUNTS: Rate[] = [
  { rate: 600_000, per: "1m", burst: 600_000 },
  { rate: 36_000_000, per: "1h", burst: 36_000_000 },
];
const EIGHT: Rate[] = Array.from({ length: 4 }, () => AMOUNTS).flat();
const REFUSING: Rate = { rate: 1, per: "30d", burst: 1 };

/** What a check costs: Redis CPU against a plain script for each rule, in turns in one run, and round trips. */
export async function benchCheck(): Promise<Figure[]> {
  const server = await startRedis();
  const redis = new Redis(server.url);
  try {
    const store = createRedisStore({ redis });
    const rules = (index: number, amounts = AMOUNTS) =>
      checkRules(`key:${index % CLIENTS}`, amounts);
    const ours = (index: number) => store.check({ rules: rules(index) });
    const one = (index: number) => store.check({ rules: rules(index).slice(0, 1) });
    const refused = (index: number) =>
      store.check({ rules: checkRules(`ip:${index % 10}`, [...AMOUNTS, REFUSING]) });
    const plain = plainCheck(redis);
    const eight = (index: number) =>
      store.check({ rules: checkRules(`ip:8-${index % CLIENTS}`, EIGHT) });
    const runs = { ours, plain, one, eight, refused };
    const cpu = { ours: [], plain: [], one: [], eight: [], refused: [] } as Record<
      keyof typeof runs,
      number[]
    >;
    for (const run of Object.values(runs)) await drive(run, CHECKS / 4);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const name of Object.keys(runs) as (keyof typeof runs)[])
        cpu[name].push(await cpuMicros(redis, () => drive(runs[name], CHECKS)));
    }
    const perCheck = (name: keyof typeof runs) => Math.min(...cpu[name]) / CHECKS;
    const latencies = await sequential(ours, 5_000);
    return [
      figure("check.redis-cpu.two-rules", perCheck("ours"), "µs"),
      figure("check.redis-cpu.one-rule", perCheck("one"), "µs"),
      figure("check.redis-cpu.refused", perCheck("refused"), "µs"),
      figure("check.redis-cpu.plain-two-rules", perCheck("plain"), "µs"),
      figure("check.redis-cpu.ratio-to-plain", perCheck("ours") / perCheck("plain"), "x", {
        atMost: 1,
      }),
      figure("check.redis-cpu.eight-rules", perCheck("eight"), "µs"),
      figure("check.redis-cpu.ratio-eight-to-one", perCheck("eight") / perCheck("one"), "x", {
        atMost: 2,
      }),
      figure("check.round-trip.p50", quantile(latencies, 0.5), "ms"),
      figure("check.round-trip.p99", quantile(latencies, 0.99), "ms"),
      figure("check.local", localMicros(rules), "µs", { atMost: 20 }),
    ];
  } finally {
    redis.disconnect();
    await server.stop();
  }
}

function checkRules(principal: string, amounts: Rate[]): CheckRule[] {
  return amounts.map((amount, index) => ({
    ruleId: `rule-${index}`,
    key: stateKey("bench", principal),
    slot: index + 1,
    role: "enforced",
    limit: tokenBucket(amount),
    cost: 1,
  }));
}

function plainCheck(redis: Redis): (index: number) => Promise<unknown> {
  const lua = readFileSync(new URL("./per-rule.lua", import.meta.url), "utf8");
  redis.defineCommand("plainCheck", { lua, numberOfKeys: 2 });
  const client = redis as unknown as { plainCheck(...args: (string | number)[]): Promise<unknown> };
  return (index) => {
    const key = `plain:{key:${index % CLIENTS}}`;
    return client.plainCheck(`${key}:a`, `${key}:b`, 10_000, 600_000, 10_000, 36_000_000);
  };
}

async function drive(run: (index: number) => Promise<unknown>, count: number): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      next += 1;
      await run(next);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

async function sequential(
  run: (index: number) => Promise<unknown>,
  count: number,
): Promise<number[]> {
  const tookMs: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const startMs = performance.now();
    await run(i);
    tookMs.push(performance.now() - startMs);
  }
  return tookMs.sort((a, b) => a - b);
}

/** CPU of the thread that runs commands and scripts. */
async function cpuMicros(redis: Redis, run: () => Promise<void>): Promise<number> {
  const read = async () => {
    const info = await redis.info("cpu");
    const seconds = (name: string) =>
      Number(new RegExp(`${name}_main_thread:([0-9.]+)`).exec(info)?.[1] ?? Number.NaN);
    return (seconds("used_cpu_sys") + seconds("used_cpu_user")) * 1e6;
  };
  const before = await read();
  await run();
  return (await read()) - before;
}

function localMicros(rules: (index: number) => CheckRule[]): number {
  const store = createMemoryStore({ clock: new SystemClock() });
  const requests = Array.from({ length: CLIENTS }, (_, index) => ({ rules: rules(index) }));
  const round = () => {
    const startMs = performance.now();
    for (let i = 0; i < CHECKS; i += 1) store.checkNow(requests[i % CLIENTS] ?? { rules: [] });
    return ((performance.now() - startMs) * 1000) / CHECKS;
  };
  round();
  return median(Array.from({ length: ROUNDS }, round));
}

const median = (values: number[]) =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );

function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
