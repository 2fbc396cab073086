import { macHex } from "../crypto/hash.js"
import { AuthError, toError } from "../errors/auth-error.js"
import { TooManyRequests } from "../errors/errors.js"
import { threwIn } from "../errors/failure-reason.js"
import type { Log } from "../log/log.js"
import { withDeadline } from "../runtime/promise.js"
import type { Awaitable, Clock } from "../types/basics.js"
import type { RateLimitCount, RateLimitOptions, RateLimitStore } from "../types/rate-limit.js"
import type { BudgetName, ResolvedRateLimit } from "./budgets.js"

/** What a counter belongs to: a network, an account, or an account on one network. */
export interface CounterKey {
  readonly network?: string
  readonly account?: string
}

/** Counts events per budget and key. A budget that the host lifted is not counted. */
export interface Counters {
  /**
   * Returns how many events there are in this window, this one included.
   * @throws TooManyRequests when the budget is used up
   */
  consume(name: BudgetName, key: CounterKey): Promise<number>
  /** Takes one event back. */
  refund(name: BudgetName, key: CounterKey): Promise<void>
  /** Resets the counter. */
  forget(name: BudgetName, key: CounterKey): Promise<void>
  /** Counts an event without a budget, in a window of this many seconds. */
  add(name: string, key: CounterKey, windowSeconds: number): Promise<RateLimitCount>
  /** Begins the window anew. */
  renew(name: string, key: CounterKey, windowSeconds: number): Promise<void>
  /** Whether events were added in a window that has not ended. */
  has(name: string, key: CounterKey): Promise<boolean>
}

interface CountersDeps extends Pick<ResolvedRateLimit, "budgets"> {
  readonly store: RateLimitStore
  /** Keys are MACs with this secret, so that the store holds no addresses or names. */
  readonly secret: string
}

/** Half of a SHA-256: keys stay short, and do not collide by chance. */
const keyLength = 32

export function createCounters({ store, budgets, secret }: CountersDeps): Counters {
  async function toStoreKey(name: string, { network, account }: CounterKey): Promise<string> {
    const mac = await macHex(secret, "rate limit", JSON.stringify([name, network, account ?? null]))
    return `${name}:${mac.slice(0, keyLength)}`
  }

  return {
    async consume(name, key) {
      const budget = budgets[name]
      if (!budget) return 0
      const { used, msLeft } = await store.consume(await toStoreKey(name, key), budget.windowSeconds)
      if (used <= budget.limit) return used
      const retryAfterSeconds = Math.max(1, Math.ceil(msLeft / 1000))
      throw new TooManyRequests(`The budget ${name} is used up`, { retryAfterSeconds })
    },
    async refund(name, key) {
      const budget = budgets[name]
      if (budget) await store.refund(await toStoreKey(name, key), budget.windowSeconds)
    },
    async forget(name, key) {
      if (budgets[name]) await store.forget(await toStoreKey(name, key))
    },
    async add(name, key, windowSeconds) {
      return store.consume(await toStoreKey(name, key), windowSeconds)
    },
    async renew(name, key, windowSeconds) {
      const storeKey = await toStoreKey(name, key)
      await store.forget(storeKey)
      await store.consume(storeKey, windowSeconds)
    },
    async has(name, key) {
      return store.has(await toStoreKey(name, key))
    },
  }
}

interface Counter {
  used: number
  endsAtMs: number
  readonly windowMs: number
}

/**
 * Counters in this process, at most `capacity` for each budget, so that a flood of new keys in one budget does not evict
 * the counters of another.
 */
export function memoryStore(clock: Clock, capacity = 20_000): RateLimitStore {
  const budgets = new Map<string, Map<string, Counter>>()

  function countersOf(key: string): Map<string, Counter> {
    const budget = key.slice(0, key.indexOf(":"))
    const counters = budgets.get(budget) ?? new Map<string, Counter>()
    budgets.set(budget, counters)
    return counters
  }

  function find(key: string): Counter | undefined {
    const counter = countersOf(key).get(key)
    if (!counter || counter.endsAtMs <= clock()) return undefined
    // Later only if the clock was set back, which must not lock anyone out for as long.
    counter.endsAtMs = Math.min(counter.endsAtMs, clock() + counter.windowMs)
    return counter
  }

  function begin(key: string, windowSeconds: number): Counter {
    const counters = countersOf(key)
    counters.delete(key)
    if (counters.size >= capacity) makeRoom(counters, clock())
    const windowMs = windowSeconds * 1000
    const counter = { used: 0, endsAtMs: clock() + windowMs, windowMs }
    counters.set(key, counter)
    return counter
  }

  return {
    consume(key, windowSeconds): RateLimitCount {
      const counter = find(key) ?? begin(key, windowSeconds)
      counter.used += 1
      return { used: counter.used, msLeft: counter.endsAtMs - clock() }
    },
    refund(key) {
      const counter = find(key)
      if (counter && counter.used > 0) counter.used -= 1
    },
    has: (key) => find(key) !== undefined,
    forget: (key) => countersOf(key).delete(key),
  }
}

/** How many counters are considered for eviction. */
const sampleSize = 16

/**
 * Evicts the expired ones of the oldest counters, else the least used of them. The rest move to the back of the queue, so
 * that made-up keys cannot evict a counter that is nearly full.
 */
function makeRoom(counters: Map<string, Counter>, nowMs: number): void {
  const oldest: (readonly [key: string, counter: Counter])[] = []
  for (const entry of counters) {
    oldest.push(entry)
    if (oldest.length === sampleSize) break
  }
  const alive = oldest.filter(([, { endsAtMs }]) => endsAtMs > nowMs)
  const leastUsed =
    alive.length < oldest.length
      ? undefined
      : alive.reduce((least, entry) => (entry[1].used < least[1].used ? entry : least))
  for (const [key] of oldest) counters.delete(key)
  for (const entry of alive) if (entry !== leastUsed) counters.set(...entry)
}

/** A store takes a few milliseconds. A visitor must not wait for one that does not answer. */
const deadlineMs = 1000

/** How long a store that failed is not called. */
const restMs = 10_000

interface DependableStoreOptions {
  /** Counts while the shared store is down. */
  readonly local: RateLimitStore
  readonly whenStoreFails: RateLimitOptions["whenStoreFails"]
  readonly clock: Clock
  readonly log: Log
}

/**
 * Wraps the host's store: if it fails, the local store counts for a while, so that an outage does not stop sign-ins.
 * @returns a store that throws AuthError with `whenStoreFails: "refuse"`, and never throws otherwise
 */
export function dependableStore(shared: RateLimitStore, options: DependableStoreOptions): RateLimitStore {
  const { local, whenStoreFails, clock, log } = options
  const outage = { endsAtMs: Number.NEGATIVE_INFINITY }
  // More than that is left if the clock was set back.
  const isResting = () => clock() < outage.endsAtMs && outage.endsAtMs <= clock() + restMs

  async function call<T>(operation: (store: RateLimitStore) => Awaitable<T>): Promise<T> {
    if (isResting() && whenStoreFails !== "refuse") return operation(local)
    const late = () => new Error(`The store did not answer within ${deadlineMs} ms`)
    try {
      return await withDeadline(Promise.resolve(operation(shared)), deadlineMs, late)
    } catch (thrown) {
      const error = new AuthError("rateLimit.store failed", threwIn("rateLimit.store", toError(thrown)))
      if (whenStoreFails === "refuse") throw error
      // Concurrent requests may see the same outage; it is logged once.
      if (!isResting()) log.error(error)
      outage.endsAtMs = clock() + restMs
      return operation(local)
    }
  }

  return {
    consume: (key, windowSeconds) => call(async (store) => toCount(await store.consume(key, windowSeconds))),
    refund: (key, windowSeconds) => call((store) => store.refund(key, windowSeconds)),
    has: (key) => call((store) => store.has(key)),
    forget: (key) => call((store) => store.forget(key)),
  }
}

/** A budget is neither lifted nor used up for everyone by a store that returns something else. */
function toCount({ used, msLeft }: RateLimitCount): RateLimitCount {
  // Some databases return numbers as text.
  const count = { used: Number(used ?? Number.NaN), msLeft: Number(msLeft ?? Number.NaN) }
  if (Number.isFinite(count.used + count.msLeft)) return count
  throw new TypeError("consume must return the numbers used and msLeft")
}

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
