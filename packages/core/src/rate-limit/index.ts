// Imported as `@latchkey/core/rate-limit`.
export type * from "../types/rate-limit.js"
export { type FlexibleRateLimiter, type FlexibleRateLimiterResult, flexibleStore } from "./counters.js"
