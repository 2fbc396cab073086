import type { BudgetName, ResolvedRateLimit } from "../config/rate-limit.js"
import type { RateLimitStore } from "../contract/rate-limit.js"
import { macHex } from "../crypto/mac.js"
import { TooManyRequests } from "../errors/request.js"

/** Whose counter it is. */
export interface Holder {
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
  admit(name: BudgetName, holder: Holder): Promise<void>
  /** Takes one back. */
  refund(name: BudgetName, holder: Holder): Promise<void>
  /** Begins anew. */
  forget(name: BudgetName, holder: Holder): Promise<void>
  /** Marks a holder for so long. */
  mark(name: string, holder: Holder, seconds: number): Promise<void>
  isMarked(name: string, holder: Holder): Promise<boolean>
}

/** How much larger a budget is for those whose network is not known: there may be many of them. */
const sharedFactor = 10

/** Half of a SHA-256: two holders do not meet by chance, and keys stay short. */
const keyLength = 32

export interface CountersNeeds extends Pick<ResolvedRateLimit, "budgets"> {
  readonly store: RateLimitStore
  /** Makes the keys, so that whoever reads the store learns neither addresses nor names. */
  readonly secret: string
}

export function createCounters({ store, budgets, secret }: CountersNeeds): Counters {
  async function toKey(name: string, { network, account }: Holder): Promise<string> {
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
