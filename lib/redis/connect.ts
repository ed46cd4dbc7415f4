import { isIP } from "node:net";
import { Redis, type RedisOptions } from "ioredis";
import type { Log } from "@/lib/log";

/**
 * check: the hot path, fails at once instead of queueing. control: snapshot, directory, streams. subscriber:
 * pub/sub. blocking: one connection a blocking read may hold.
 */
export type RedisRole = "check" | "control" | "subscriber" | "blocking";

/** One server, as the configuration read it from a URL. */
export type RedisAddress = {
  host: string;
  port: number;
  username?: string;
  password?: string;
  database: number;
  tls: boolean;
  /** The name that its certificate must bear, where that is not the host: a cluster names its nodes by IP. */
  serverName?: string;
};

type Options = {
  address: RedisAddress;
  /** PEM of the authority behind a private certificate. */
  ca?: string;
  role: RedisRole;
  name: string;
  log: Log;
};

const CONNECT_TIMEOUT_MS = 1_000;
const GOODBYE_MS = 100;
const RETRY_MAX_MS = 1_000;
/** A control command that takes longer is given up: the loop that sent it tries again. */
const CONTROL_TIMEOUT_MS = 3_000;
/** A socket that answers nothing this long while a command waits is dead (half open): it is replaced. */
const SOCKET_TIMEOUT_MS = 5_000;

/** The only maker of Redis clients. Never queues while away, never resends a command that may have run. */
export function connectRedis({ address, ca, role, name, log }: Options): Redis {
  const options = {
    host: address.host,
    port: address.port,
    db: address.database,
    connectionName: name,
    connectTimeout: role === "check" ? CONNECT_TIMEOUT_MS / 2 : CONNECT_TIMEOUT_MS,
    // A peer that is gone answers no goodbye either; until the socket is destroyed nothing reconnects.
    disconnectTimeout: role === "check" ? GOODBYE_MS : CONNECT_TIMEOUT_MS,
    // A primary that became a replica: its name may lead to the new one.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) =>
      Math.min(RETRY_MAX_MS, 50 * 2 ** Math.min(attempt, 5)) * (0.5 + Math.random() / 2),
    keepAlive: 10_000,
    noDelay: true,
    // It asks for INFO, which a user may not be allowed. A server that still loads says so to each command.
    enableReadyCheck: false,
    ...(address.username === undefined ? {} : { username: address.username }),
    ...(address.password === undefined ? {} : { password: address.password }),
    ...(address.tls ? { tls: tlsOf(address, ca) } : {}),
    ...(role === "control" ? { commandTimeout: CONTROL_TIMEOUT_MS } : {}),
    ...(role === "control" || role === "blocking" ? { socketTimeout: SOCKET_TIMEOUT_MS } : {}),
  } satisfies RedisOptions;
  const redis = new Redis(options);
  // Without a listener ioredis would throw; one line per outage, not one per attempt.
  let isDown = false;
  redis.on("error", (error: Error) => {
    if (!isDown)
      log.warn(
        { role, redis: describeAddress(address), reason: error.message },
        "redis unreachable",
      );
    isDown = true;
  });
  redis.on("ready", () => {
    if (isDown) log.info({ role, redis: describeAddress(address) }, "redis back");
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

/** An IP is no server name (RFC 6066); Node then compares the certificate with the address itself. */
function tlsOf({ host, serverName = host }: RedisAddress, ca: string | undefined) {
  return {
    ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
}

/** For logs: never the password. */
export function describeAddress({ host, port, database, tls }: RedisAddress): string {
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return `${tls ? "rediss" : "redis"}://${shownHost}:${port}/${database}`;
}
