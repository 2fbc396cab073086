import { macHex } from "../crypto/hash.js"
import { AuthError, toError } from "../errors/auth-error.js"
import { TooManyRequests } from "../errors/errors.js"
import type { Log } from "../log/log.js"
import { withDeadline } from "../runtime/promise.js"
import type { Awaitable, Clock } from "../types/basics.js"
import type { RateLimitCount, RateLimitOptions, RateLimitStore } from "../types/rate-limit.js"
import type { BudgetName, ResolvedRateLimit } from "./budgets.js"

/** Whose counter it is. */
export interface CounterKey {
  /** Null: it is not known, and all of whom that is true share one counter. */
  readonly network?: string | null
  readonly account?: string
}

/** How often each holder did what a budget is for. */
export interface Counters {
  /**
   * Counts one more.
   * @throws TooManyRequests when the budget is spent
   */
  admit(name: BudgetName, holder: CounterKey): Promise<void>
  /** Takes one back. */
  refund(name: BudgetName, holder: CounterKey): Promise<void>
  /** Begins anew. */
  forget(name: BudgetName, holder: CounterKey): Promise<void>
  /** Marks a holder for so long. */
  mark(name: string, holder: CounterKey, seconds: number): Promise<void>
  isMarked(name: string, holder: CounterKey): Promise<boolean>
}

/** How much larger a budget is for those whose network is not known: there may be many of them. */
const sharedFactor = 10

/** Half of a SHA-256: two holders do not meet by chance, and keys stay short. */
const keyLength = 32

interface CountersNeeds extends Pick<ResolvedRateLimit, "budgets"> {
  readonly store: RateLimitStore
  /** Makes the keys, so that whoever reads the store learns neither addresses nor names. */
  readonly secret: string
}

export function createCounters({ store, budgets, secret }: CountersNeeds): Counters {
  async function toKey(name: string, { network, account }: CounterKey): Promise<string> {
    const mac = await macHex(secret, "rate limit", JSON.stringify([name, network, account ?? null]))
    return `${name}:${mac.slice(0, keyLength)}`
  }

  return {
    async admit(name, holder) {
      const budget = budgets[name]
      if (!budget) return
      const limit = holder.network === null ? budget.limit * sharedFactor : budget.limit
      const { used, msLeft } = await store.consume(await toKey(name, holder), budget.windowSeconds)
      if (used <= limit) return
      const retryAfterSeconds = Math.max(1, Math.ceil(msLeft / 1000))
      throw new TooManyRequests(`The budget ${name} is spent`, { retryAfterSeconds })
    },
    async refund(name, holder) {
      const budget = budgets[name]
      if (budget) await store.refund(await toKey(name, holder), budget.windowSeconds)
    },
    async forget(name, holder) {
      if (budgets[name]) await store.forget(await toKey(name, holder))
    },
    async mark(name, holder, seconds) {
      await store.consume(await toKey(name, holder), seconds)
    },
    async isMarked(name, holder) {
      return store.has(await toKey(name, holder))
    },
  }
}

interface Counter {
  used: number
  readonly endsAtMs: number
}

/** How many counters are looked at when room is made. */
const sampleSize = 16

/**
 * Counters in this process, `capacity` of each budget at the most: what floods one budget with new keys does not push
 * out the counters of another.
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

type Entry = readonly [key: string, counter: Counter]

/**
 * Forgets what is over, else the least used of the oldest. The others go to the back of the queue, so that a counter
 * that is nearly full does not make room for keys that somebody made up.
 */
function makeRoom(counters: Map<string, Counter>, nowMs: number): void {
  const oldest = takeOldest(counters)
  const alive = oldest.filter(([, { endsAtMs }]) => endsAtMs > nowMs)
  const leastUsed = alive.length < oldest.length ? undefined : alive.reduce(lessUsed)
  for (const [key] of oldest) counters.delete(key)
  for (const entry of alive) if (entry !== leastUsed) counters.set(...entry)
}

function takeOldest(counters: ReadonlyMap<string, Counter>): readonly Entry[] {
  const oldest: Entry[] = []
  for (const entry of counters) {
    oldest.push(entry)
    if (oldest.length === sampleSize) break
  }
  return oldest
}

/** Of two equal ones the older. */
function lessUsed(one: Entry, other: Entry): Entry {
  return other[1].used < one[1].used ? other : one
}

/** Milliseconds. A store that counts takes a few; a visitor must not wait for one that does not answer. */
const deadlineMs = 1000

/** Milliseconds during which a store that failed is left alone. */
const restMs = 10_000

interface DependableStoreNeeds {
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
