import type { Redis } from "ioredis";
import { type Check, drive, usedMemory } from "./drive";
import { type Figure, figure } from "./figure";
import { withRedis } from "./server";
import { headgate, plain } from "./subjects";

const CLIENTS = 200_000;
const RULES = 3;

/** What a client with three rules takes in Redis, each side on a server of its own. */
export async function benchMemory(): Promise<Figure[]> {
  const ours = await bytesPerClient((redis) => headgate(redis, RULES));
  const theirs = await bytesPerClient((redis) => plain(redis, RULES));
  return [
    figure("memory.three-rules", ours, "bytes"),
    figure("memory.plain-three-rules", theirs, "bytes"),
    figure("memory.three-to-plain", ours / theirs, "x", { atMost: 0.4 }),
  ];
}

/** Each client checks twice: the second pass also ends the growing of Redis's tables. */
function bytesPerClient(side: (redis: Redis) => Check): Promise<number> {
  return withRedis(async (redis) => {
    const check = side(redis);
    await redis.ping();
    const before = await usedMemory(redis);
    await drive(check, { clients: CLIENTS, from: 0, count: 2 * CLIENTS, inFlight: 50 });
    return ((await usedMemory(redis)) - before) / CLIENTS;
  });
}
