import type { Redis } from "ioredis";
import type { Clock } from "@/lib/clock";

/** Sent checks of which none was answered for this long: the peer is gone, although the socket is not. */
const STUCK_MS = 500;
/** ioredis bounds the TCP connect, but not a peer that never answers its greeting. */
const GREETING_MS = 1_000;

export type ConnectionWatch = {
  sent(): void;
  answered(): void;
  /** Drops a connection that does not move, so that ioredis makes another; true if it did. */
  resetIfStuck(): boolean;
  close(): void;
};

/** Finds what TCP takes minutes to notice: a half-open socket, and a peer that accepts and says nothing. */
export function createConnectionWatch(redis: Redis, clock: Clock): ConnectionWatch {
  let unanswered = 0;
  let movedMs = 0;
  let connectedMs = clock.monotonicMs();
  const onConnect = () => {
    connectedMs = clock.monotonicMs();
  };
  redis.on("connect", onConnect);
  return {
    sent() {
      if (unanswered === 0) movedMs = clock.monotonicMs();
      unanswered += 1;
    },
    answered() {
      unanswered -= 1;
      movedMs = clock.monotonicMs();
    },
    resetIfStuck() {
      const nowMs = clock.monotonicMs();
      const isStuck = redis.status === "ready" && unanswered > 0 && nowMs - movedMs > STUCK_MS;
      const isUngreeted = redis.status === "connect" && nowMs - connectedMs > GREETING_MS;
      if (!isStuck && !isUngreeted) return false;
      movedMs = nowMs;
      connectedMs = nowMs;
      redis.disconnect(true);
      return true;
    },
    close() {
      redis.off("connect", onConnect);
    },
  };
}
