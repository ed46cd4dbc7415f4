import type { Redis } from "ioredis";

/** One check of the client with this number. Resolves to whether it was admitted. */
export type Check = (client: number) => Promise<boolean>;

type Plan = {
  redis: Redis;
  clients: number;
  /** Checks of each side in a round. */
  checks: number;
  /** The sides take turns; the best round of each counts: the others say more about who else used the machine. */
  rounds: number;
  /** Checks at a time. */
  inFlight: number;
};

/** µs a check, of the thread of Redis that runs commands and scripts, and of this process. */
export type Cost = { redis: number; node: number };

/** Every client is met before the first round, so that no side is measured on an empty Redis. */
export async function compare<Name extends string>(
  sides: Record<Name, Check>,
  { redis, clients, checks, rounds, inFlight }: Plan,
): Promise<Record<Name, Cost>> {
  const names = Object.keys(sides) as Name[];
  const best = Object.fromEntries(
    names.map((name) => [
      name,
      { redis: Number.POSITIVE_INFINITY, node: Number.POSITIVE_INFINITY },
    ]),
  ) as Record<Name, Cost>;
  for (const name of names)
    await drive(sides[name], { clients, from: 0, count: clients, inFlight: 50 });
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const redisBefore = await redisCpuMicros(redis);
      const nodeBefore = process.cpuUsage();
      await drive(sides[name], { clients, from: round * checks, count: checks, inFlight });
      const { user, system } = process.cpuUsage(nodeBefore);
      best[name].node = Math.min(best[name].node, (user + system) / checks);
      const redisTook = (await redisCpuMicros(redis)) - redisBefore;
      best[name].redis = Math.min(best[name].redis, redisTook / checks);
    }
  }
  return best;
}

/** `count` checks, some at a time, of one client after another. Throws when one is not admitted. */
export async function drive(
  check: Check,
  {
    clients,
    from,
    count,
    inFlight,
  }: { clients: number; from: number; count: number; inFlight: number },
): Promise<void> {
  let next = from;
  const worker = async () => {
    while (next < from + count) {
      const client = next % clients;
      next += 1;
      if (!(await check(client))) throw new Error(`client ${client} was not admitted`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

export async function redisCpuMicros(redis: Redis): Promise<number> {
  const info = await redis.info("cpu");
  const seconds = (name: string) =>
    Number(new RegExp(`${name}_main_thread:([0-9.]+)`).exec(info)?.[1] ?? Number.NaN);
  return (seconds("used_cpu_sys") + seconds("used_cpu_user")) * 1e6;
}

export async function usedMemory(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1] ?? Number.NaN);
}
