import { macHex } from "../crypto/hash.js"
import { TooManyRequests } from "../errors/errors.js"
import type { RateLimitStore } from "../types/rate-limit.js"
import type { BudgetName, ResolvedRateLimit } from "./budgets.js"

/** What a counter belongs to: a network, an account, or an account on one network. */
export interface CounterKey {
  /** Null when the network is unknown. All unknown networks share one counter. */
  readonly network?: string | null
  readonly account?: string
}

/** Counts events per budget and key. A budget that the host lifted is not counted. */
export interface Counters {
  /** @throws TooManyRequests when the budget is used up */
  consume(name: BudgetName, key: CounterKey): Promise<void>
  /** Takes one event back. */
  refund(name: BudgetName, key: CounterKey): Promise<void>
  /** Resets the counter. */
  forget(name: BudgetName, key: CounterKey): Promise<void>
  /** Remembers a key for this many seconds. */
  mark(name: string, key: CounterKey, seconds: number): Promise<void>
  isMarked(name: string, key: CounterKey): Promise<boolean>
}

interface CountersDeps extends Pick<ResolvedRateLimit, "budgets"> {
  readonly store: RateLimitStore
  /** Keys are MACs with this secret, so that the store holds no addresses or names. */
  readonly secret: string
}

/** Multiplies the budget of clients with an unknown network, since many of them share it. */
const sharedFactor = 10

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
      if (!budget) return
      const limit = key.network === null ? budget.limit * sharedFactor : budget.limit
      const { used, msLeft } = await store.consume(await toStoreKey(name, key), budget.windowSeconds)
      if (used <= limit) return
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
    async mark(name, key, seconds) {
      await store.consume(await toStoreKey(name, key), seconds)
    },
    async isMarked(name, key) {
      return store.has(await toStoreKey(name, key))
    },
  }
}
