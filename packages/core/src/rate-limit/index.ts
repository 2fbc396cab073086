// Imported as `@latchkey/core/rate-limit`.
export type * from "../contract/rate-limit.js"
export { type FlexibleRateLimiter, type FlexibleRateLimiterResult, flexibleStore } from "../limits/limiter-store.js"
