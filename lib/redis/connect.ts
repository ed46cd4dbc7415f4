import { Redis, type RedisOptions } from "ioredis";
import { parseRedisAddress, redisAddressWords } from "@/lib/core/redis-address";
import type { Log } from "@/lib/log";

/**
 * check: the hot path, fails at once instead of queueing. control: snapshot, directory, streams. subscriber:
 * pub/sub. blocking: one connection a blocking read may hold.
 */
export type RedisRole = "check" | "control" | "subscriber" | "blocking";

type Options = { url: string; role: RedisRole; name: string; log: Log };

const CONNECT_TIMEOUT_MS = 1_000;
const RETRY_MAX_MS = 1_000;
/** A control command that takes longer is given up: the loop that sent it tries again. */
const CONTROL_TIMEOUT_MS = 3_000;

/** The only maker of Redis clients. Never queues while away, never resends a command that may have run. */
export function connectRedis({ url, role, name, log }: Options): Redis {
  const address = parseRedisAddress(url);
  const options = {
    host: address.host,
    port: address.port,
    db: address.db,
    connectionName: name,
    connectTimeout: role === "check" ? CONNECT_TIMEOUT_MS / 2 : CONNECT_TIMEOUT_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) =>
      Math.min(RETRY_MAX_MS, 50 * 2 ** Math.min(attempt, 5)) * (0.5 + Math.random() / 2),
    keepAlive: 10_000,
    noDelay: true,
    ...(address.username === null ? {} : { username: address.username }),
    ...(address.password === null ? {} : { password: address.password }),
    ...(address.tls ? { tls: { servername: address.host } } : {}),
    ...(role === "control" ? { commandTimeout: CONTROL_TIMEOUT_MS } : {}),
  } satisfies RedisOptions;
  const redis = new Redis(options);
  // Without a listener ioredis would throw; one line per outage, not one per attempt.
  let isDown = false;
  redis.on("error", (error: Error) => {
    if (!isDown)
      log.warn(
        { role, redis: redisAddressWords(address), reason: error.message },
        "redis unreachable",
      );
    isDown = true;
  });
  redis.on("ready", () => {
    if (isDown) log.info({ role, redis: redisAddressWords(address) }, "redis back");
    isDown = false;
  });
  return redis;
}

/** Resolves once the client can take commands; false after `timeoutMs`. */
export function whenReady(redis: Redis, timeoutMs: number): Promise<boolean> {
  if (redis.status === "ready") return Promise.resolve(true);
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle(false), timeoutMs);
    const onReady = () => settle(true);
    function settle(isReady: boolean) {
      clearTimeout(timer);
      redis.off("ready", onReady);
      resolve(isReady);
    }
    redis.once("ready", onReady);
  });
}
