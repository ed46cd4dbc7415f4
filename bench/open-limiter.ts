import type { Redis } from "ioredis";
import { SystemClock } from "@/lib/clock";
import { createLimiter, type Limiter } from "@/lib/limiter";
import { createLog } from "@/lib/log";
import { connectRedis } from "@/lib/redis/connect";
import { waitFor } from "@/lib/testing/wait-for";

/** A limiter as a gateway has it, at the server of this client, with a connection of its own. */
export async function openLimiter(redis: Redis): Promise<{ limiter: Limiter; close(): void }> {
  const log = createLog({ name: "bench", level: "silent" });
  const { host = "127.0.0.1", port = 6379 } = redis.options;
  const address = { host, port, database: 0, tls: false };
  const own = connectRedis({ address, role: "check", name: "bench", log });
  const limiter = createLimiter({
    state: { kind: "single", redis: own },
    environment: "bench",
    clock: new SystemClock(),
    log,
    fleetSize: () => 1,
    deadlineMs: 1_000,
  });
  await waitFor(() => limiter.status().clockOffsetMs !== null);
  return {
    limiter,
    close: () => {
      limiter.close();
      own.disconnect();
    },
  };
}
