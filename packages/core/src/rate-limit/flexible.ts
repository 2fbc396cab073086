import type { RateLimitStore } from "../types/rate-limit.js"

/** The methods of a limiter of the package `rate-limiter-flexible` that are used. */
export interface FlexibleRateLimiter {
  penalty(key: string, points: number, options: { customDuration: number }): Promise<FlexibleRateLimiterResult>
  reward(key: string, points: number, options: { customDuration: number }): Promise<unknown>
  get(key: string): Promise<FlexibleRateLimiterResult | null>
  delete(key: string): Promise<unknown>
}

/** The fields of such a limiter's result that are used. */
export interface FlexibleRateLimiterResult {
  readonly consumedPoints: number
  readonly msBeforeNext: number
}

/**
 * Counts with a limiter of `rate-limiter-flexible` (7 or newer), which supports Redis, Valkey, PostgreSQL, MySQL, SQLite,
 * MongoDB and others. Its `points` and `duration` are ignored: `rateLimit.budgets` sets the limits.
 * @example
 * const limiter = new RateLimiterRedis({ storeClient: redis, keyPrefix: "auth", points: 1, duration: 60 })
 * const config = { providers, rateLimit: { store: flexibleStore(limiter) } }
 */
export function flexibleStore(limiter: FlexibleRateLimiter): RateLimitStore {
  return {
    async consume(key, windowSeconds) {
      // Like `consume`, but does not reject when the limiter's own points are used up.
      const { consumedPoints, msBeforeNext } = await limiter.penalty(key, 1, { customDuration: windowSeconds })
      return { used: consumedPoints, msLeft: msBeforeNext }
    },
    refund: (key, windowSeconds) => limiter.reward(key, 1, { customDuration: windowSeconds }),
    async has(key) {
      const found = await limiter.get(key)
      return found !== null && found.consumedPoints > 0
    },
    forget: (key) => limiter.delete(key),
  }
}
