export { createMemoryStore, type MemoryStore } from "./memory-store";
export { createRedisStore } from "./redis-store";
export { bucketKey, type LimiterRule, limiterRule, stateKey } from "./state-key";
export type { Store } from "./store";
