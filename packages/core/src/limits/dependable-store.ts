import type { Awaitable } from "../contract/awaitable.js"
import type { Clock } from "../contract/clock.js"
import type { RateLimitOptions, RateLimitStore } from "../contract/rate-limit.js"
import { AuthError } from "../errors/auth-error.js"
import { toError } from "../errors/to-error.js"
import { withDeadline } from "../host/deadline.js"
import type { Log } from "../log/log.js"

/** Milliseconds. A store that counts takes a few; a visitor must not wait for one that does not answer. */
const deadlineMs = 1000

/** Milliseconds during which a store that failed is left alone. */
const restMs = 10_000

export interface DependableStoreNeeds {
  /** Counts while the shared store does not. */
  readonly local: RateLimitStore
  readonly whenStoreFails: RateLimitOptions["whenStoreFails"]
  readonly clock: Clock
  readonly log: Log
}

/**
 * A shared store whose failures do not become those of a sign-in, unless the host wants them to.
 * @returns a store that throws AuthError with `whenStoreFails: "refuse"`, and else never
 */
export function dependableStore(shared: RateLimitStore, needs: DependableStoreNeeds): RateLimitStore {
  const { local, whenStoreFails, clock, log } = needs
  const outage = { endsAtMs: Number.NEGATIVE_INFINITY }

  async function ask<T>(question: (store: RateLimitStore) => Awaitable<T>): Promise<T> {
    if (clock() < outage.endsAtMs && whenStoreFails !== "refuse") return question(local)
    const late = () => new Error(`The store did not answer within ${deadlineMs} ms`)
    try {
      return await withDeadline(Promise.resolve(question(shared)), deadlineMs, late)
    } catch (thrown) {
      const error = new AuthError("rateLimit.store failed", toError(thrown))
      if (whenStoreFails === "refuse") throw error
      // Many requests may wait for one outage; one line in the log tells of it.
      if (clock() >= outage.endsAtMs) log.error(error)
      outage.endsAtMs = clock() + restMs
      return question(local)
    }
  }

  return {
    consume: (key, windowSeconds) => ask((store) => store.consume(key, windowSeconds)),
    refund: (key, windowSeconds) => ask((store) => store.refund(key, windowSeconds)),
    has: (key) => ask((store) => store.has(key)),
    forget: (key) => ask((store) => store.forget(key)),
  }
}
