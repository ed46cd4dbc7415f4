export type { LimiterDecision } from "./fallback";
export { createLimiter, type Limiter } from "./limiter";
export { limiterRule } from "./state-key";
