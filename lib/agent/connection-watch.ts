import type { Redis } from "ioredis";
import type { Log } from "@/lib/log";

/** A half-open connection looks idle for ever; one that does not answer this soon is made anew. */
const PING_INTERVAL_MS = 3_000;
const PING_DEADLINE_MS = 2_000;

type Options = {
  redis: Redis;
  /** For the log: which connection. */
  what: string;
  log: Log;
  pingIntervalMs?: number;
  pingDeadlineMs?: number;
};

/** Asks a connection now and then whether there is still somebody at the other end. */
export function watchConnection({
  redis,
  what,
  log,
  pingIntervalMs = PING_INTERVAL_MS,
  pingDeadlineMs = PING_DEADLINE_MS,
}: Options): { close(): void } {
  let isClosed = false;
  let isWaiting = false;

  async function ping(): Promise<void> {
    if (redis.status !== "ready" || isWaiting) return;
    isWaiting = true;
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<"late">((resolve) => {
      timer = setTimeout(resolve, pingDeadlineMs, "late");
    });
    const answer = await Promise.race([redis.ping().catch(String), deadline]);
    clearTimeout(timer);
    isWaiting = false;
    if (answer !== "late" || isClosed || redis.status !== "ready") return;
    log.warn({ what, deadlineMs: pingDeadlineMs }, "redis connection is silent, reconnects");
    redis.disconnect(true);
  }

  const timer = setInterval(() => void ping(), pingIntervalMs);
  return {
    close: () => {
      isClosed = true;
      clearInterval(timer);
    },
  };
}
