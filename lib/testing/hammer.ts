import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Redis } from "ioredis";
import type { Rate } from "@/lib/core/limit";
import type { Rule } from "@/lib/core/rule";

export type HammerPlan = {
  redisUrl: string;
  /** Names the key, so that two runs do not share it. */
  principal: string;
  precision: Rule["precision"];
  amount: Rate;
  seconds: number;
  processes: number;
  /** In each process, each with a connection of its own. */
  limiters: number;
};

/** What one process saw. Times are µs of Redis's clock. */
export type Hammered = {
  admitted: number;
  refused: number;
  /** Decided without Redis, as it did not answer in time: these prove nothing. */
  local: number;
  memory: number;
  firstUs: number;
  lastUs: number;
};

export type HammerResult = Hammered & {
  /** By Redis's clock, from before the first check until after the last. */
  seconds: number;
  /** Calls of the script. */
  calls: number;
};

/** Limiters in several processes, which hit one key as fast as they can. */
export async function hammer(plan: HammerPlan): Promise<HammerResult> {
  const redis = new Redis(plan.redisUrl);
  const children = Array.from({ length: plan.processes }, () => start(plan));
  try {
    await Promise.all(children.map((child) => once(child, "message")));
    const callsBefore = await scriptCalls(redis);
    const startUs = await timeUs(redis);
    const results = await Promise.all(
      children.map(async (child) => {
        const answer = once(child, "message");
        child.send("go");
        const [seen] = (await answer) as [Hammered];
        return seen;
      }),
    );
    const seconds = ((await timeUs(redis)) - startUs) / 1_000_000;
    const sum = (field: keyof Hammered) => results.reduce((total, each) => total + each[field], 0);
    return {
      admitted: sum("admitted"),
      refused: sum("refused"),
      local: sum("local"),
      memory: sum("memory"),
      firstUs: Math.min(...results.map(({ firstUs }) => firstUs)),
      lastUs: Math.max(...results.map(({ lastUs }) => lastUs)),
      seconds,
      calls: (await scriptCalls(redis)) - callsBefore,
    };
  } finally {
    for (const child of children) child.kill("SIGKILL");
    redis.disconnect();
  }
}

function start(plan: HammerPlan): ChildProcess {
  return fork(new URL("./hammer-process.ts", import.meta.url), {
    execArgv: ["--import", "tsx"],
    env: { ...process.env, TEST_HAMMER: JSON.stringify(plan) },
  });
}

async function timeUs(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000_000 + Number(micros);
}

export async function scriptCalls(redis: Redis): Promise<number> {
  const info = await redis.info("commandstats");
  let calls = 0;
  for (const name of ["eval", "evalsha"])
    calls += Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
  return calls;
}
