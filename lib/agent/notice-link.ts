import type { Redis } from "ioredis";
import type { Log } from "@/lib/log";
import { type Notice, parseNotice } from "@/lib/redis/notices";
import { reasonOf } from "@/lib/redis/reason";

type Options = {
  /** A connection of its own: once subscribed it can do nothing else. */
  redis: Redis;
  channel: string;
  onNotice(notice: Notice): void;
  /** After every (re)subscribe: what was published before is lost, so compare. */
  onSubscribed(): void;
  log: Log;
};

/** Subscribes whenever the connection is there. Notices are hints; whoever gets them also polls. */
export function openNoticeLink({ redis, channel, onNotice, onSubscribed, log }: Options): {
  close(): void;
} {
  let isClosed = false;

  async function subscribe(): Promise<void> {
    try {
      await redis.subscribe(channel);
      if (!isClosed) onSubscribed();
    } catch (error) {
      if (isClosed) return;
      log.warn({ reason: reasonOf(error), channel }, "subscription failed, reconnects");
      redis.disconnect(true);
    }
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
  return {
    close: () => {
      isClosed = true;
      redis.off("ready", onReady);
      redis.off("message", onMessage);
    },
  };
}
