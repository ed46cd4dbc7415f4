/** Redis's clock as seen from this process's monotonic one. */
export type RedisTime = {
  /** Takes a reply into account: when its check went out, when it came back (monotonic ms), what Redis's clock said. */
  observe(reply: { sentMs: number; receivedMs: number; redisUs: number }): void;
  /** What Redis's clock says at a monotonic time, in µs; undefined before the first reply. */
  at(monotonicMs: number): number | undefined;
};

/**
 * Each reply bounds the offset: Redis looked at its clock after the check went out and before the reply came.
 * The lowest upper bound is kept, so that an expiry made from it is late by no more than the fastest check's way
 * there; a reply that it contradicts means that Redis's clock was set forward.
 */
export function createRedisTime(): RedisTime {
  let offsetUs: number | undefined;
  return {
    observe({ sentMs, receivedMs, redisUs }) {
      const upper = redisUs - sentMs * 1000;
      const lower = redisUs - receivedMs * 1000;
      if (offsetUs === undefined || upper < offsetUs || offsetUs < lower) offsetUs = upper;
    },
    at(monotonicMs) {
      return offsetUs === undefined ? undefined : Math.ceil(monotonicMs * 1000 + offsetUs);
    },
  };
}
