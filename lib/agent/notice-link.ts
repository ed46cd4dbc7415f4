import type { Redis } from "ioredis";
import type { Log } from "@/lib/log";
import { type Notice, parseNotice } from "@/lib/redis/notices";

/** A half-open subscription looks idle for ever; one that does not answer this soon is made anew. */
const PING_INTERVAL_MS = 3_000;
const PING_DEADLINE_MS = 2_000;

type Options = {
  /** A connection of its own: once subscribed it can do nothing else. */
  redis: Redis;
  channel: string;
  onNotice(notice: Notice): void;
  /** After every (re)subscribe: what was published before is lost, so compare. */
  onSubscribed(): void;
  log: Log;
  pingIntervalMs?: number;
  pingDeadlineMs?: number;
};

/** Keeps one subscription alive. Notices are hints; whoever gets them also polls. */
export function openNoticeLink({
  redis,
  channel,
  onNotice,
  onSubscribed,
  log,
  pingIntervalMs = PING_INTERVAL_MS,
  pingDeadlineMs = PING_DEADLINE_MS,
}: Options): { close(): void } {
  let isClosed = false;

  async function subscribe(): Promise<void> {
    try {
      await redis.subscribe(channel);
      if (!isClosed) onSubscribed();
    } catch (error) {
      if (isClosed) return;
      log.warn({ reason: String(error), channel }, "subscription failed, reconnects");
      redis.disconnect(true);
    }
  }

  async function ping(): Promise<void> {
    if (redis.status !== "ready") return;
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<"late">((resolve) => {
      timer = setTimeout(resolve, pingDeadlineMs, "late");
    });
    const answer = await Promise.race([redis.ping().catch(String), deadline]);
    clearTimeout(timer);
    if (answer !== "late" || isClosed || redis.status !== "ready") return;
    log.warn({ channel, deadlineMs: pingDeadlineMs }, "subscription is silent, reconnects");
    redis.disconnect(true);
  }

  const onReady = () => void subscribe();
  const onMessage = (from: string, message: string) => {
    if (from !== channel) return;
    const notice = parseNotice(message);
    if (notice === null) log.warn({ channel, message: message.slice(0, 200) }, "notice not known");
    else onNotice(notice);
  };
  redis.on("ready", onReady);
  redis.on("message", onMessage);
  if (redis.status === "ready") onReady();
  const timer = setInterval(() => void ping(), pingIntervalMs);
  return {
    close: () => {
      isClosed = true;
      clearInterval(timer);
      redis.off("ready", onReady);
      redis.off("message", onMessage);
    },
  };
}
