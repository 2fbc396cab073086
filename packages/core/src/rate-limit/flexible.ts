import type { RateLimitStore } from "../types/rate-limit.js"

/** What is used of a limiter of the package `rate-limiter-flexible`. */
export interface FlexibleRateLimiter {
  penalty(key: string, points: number, options: { customDuration: number }): Promise<FlexibleRateLimiterResult>
  reward(key: string, points: number, options: { customDuration: number }): Promise<unknown>
  get(key: string): Promise<FlexibleRateLimiterResult | null>
  delete(key: string): Promise<unknown>
}

/** What such a limiter answers, as far as it is used. */
export interface FlexibleRateLimiterResult {
  readonly consumedPoints: number
  readonly msBeforeNext: number
}

/**
 * Counts with a limiter of `rate-limiter-flexible` (7 or newer), which reaches Redis, Valkey, PostgreSQL, MySQL,
 * SQLite, MongoDB and others. Its own
 * `points` and `duration` are not used: how many in how long is said by `rateLimit.budgets`.
 * @example
 * const limiter = new RateLimiterRedis({ storeClient: redis, keyPrefix: "auth", points: 1, duration: 60 })
 * const config = { providers, rateLimit: { store: flexibleStore(limiter) } }
 */
export function flexibleStore(limiter: FlexibleRateLimiter): RateLimitStore {
  return {
    async consume(key, windowSeconds) {
      // `consume` would compare with the limiter's own points, and reject; a penalty is the same step without a judgement.
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
