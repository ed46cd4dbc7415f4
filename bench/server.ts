import { Redis } from "ioredis";
import { startRedis } from "@/lib/testing/redis";

/** A fresh redis-server and a client that sends what one tick asked for together, the same for all sides. */
export async function withRedis<T>(run: (redis: Redis) => Promise<T>): Promise<T> {
  const server = await startRedis();
  const redis = new Redis(server.url, { enableAutoPipelining: true });
  try {
    return await run(redis);
  } finally {
    redis.disconnect();
    await server.stop();
  }
}
