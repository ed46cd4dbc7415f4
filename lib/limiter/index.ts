export type { LimiterDecision } from "./fallback";
export { createLimiter, type Limiter, type StateConnection } from "./limiter";
export { limiterRule } from "./state-key";
