import { AuthError, toError } from "../errors/auth-error.js"
import type { Log } from "../log/log.js"
import { withDeadline } from "../runtime/promise.js"
import type { Awaitable, Clock } from "../types/basics.js"
import type { RateLimitCount, RateLimitOptions, RateLimitStore } from "../types/rate-limit.js"

interface Counter {
  used: number
  readonly endsAtMs: number
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
    return counter && counter.endsAtMs > clock() ? counter : undefined
  }

  function begin(key: string, windowSeconds: number): Counter {
    const counters = countersOf(key)
    counters.delete(key)
    if (counters.size >= capacity) makeRoom(counters, clock())
    const counter = { used: 0, endsAtMs: clock() + windowSeconds * 1000 }
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

  async function call<T>(operation: (store: RateLimitStore) => Awaitable<T>): Promise<T> {
    if (clock() < outage.endsAtMs && whenStoreFails !== "refuse") return operation(local)
    const late = () => new Error(`The store did not answer within ${deadlineMs} ms`)
    try {
      return await withDeadline(Promise.resolve(operation(shared)), deadlineMs, late)
    } catch (thrown) {
      const error = new AuthError("rateLimit.store failed", toError(thrown))
      if (whenStoreFails === "refuse") throw error
      // Concurrent requests may see the same outage; it is logged once.
      if (clock() >= outage.endsAtMs) log.error(error)
      outage.endsAtMs = clock() + restMs
      return operation(local)
    }
  }

  return {
    consume: (key, windowSeconds) => call((store) => store.consume(key, windowSeconds)),
    refund: (key, windowSeconds) => call((store) => store.refund(key, windowSeconds)),
    has: (key) => call((store) => store.has(key)),
    forget: (key) => call((store) => store.forget(key)),
  }
}
