export type { LimiterDecision } from "./fallback";
export {
  CHECK_DEADLINE_MS,
  createLimiter,
  type Limiter,
  type LimiterCounters,
  type LimiterOptions,
  type LimiterStatus,
} from "./limiter";
export { createMemoryStore, type MemoryStore } from "./memory-store";
export { createRedisStore } from "./redis-store";
export { bucketKey, type LimiterRule, limiterRule, stateKey } from "./state-key";
export type { Store } from "./store";
