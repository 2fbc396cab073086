// Imported as `@latchkey/core/rate-limit`.
export type * from "../contract/rate-limit.js"
export { type FlexibleRateLimiter, type FlexibleRateLimiterResult, limiterStore } from "../limits/limiter-store.js"
