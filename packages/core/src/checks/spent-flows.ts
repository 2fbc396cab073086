import type { Adapter } from "../contract/adapter.js"
import type { Awaitable } from "../contract/awaitable.js"
import type { Clock } from "../contract/clock.js"
import { sha256Hex } from "../crypto/hash.js"

/**
 * Remembers flows that were completed, those of passkeys among them, so that a copied callback cannot be played again
 * while its cookie would open.
 */
export interface SpentFlows {
  /** True for the first caller only. */
  spend(flow: string): Awaitable<boolean>
}

/** Sealed values open a little longer than they live, since clocks differ. */
const marginSeconds = 60

/**
 * A list in this process, for the lifetime of a flow and of a bounded length. Another process does not see it; there
 * the provider, which accepts a code once, or a passkey's counter is the second lock.
 */
export function createSpentFlows(clock: Clock, ttlSeconds: number, capacity = 10_000): SpentFlows {
  const expiriesMs = new Map<string, number>()

  function forgetOld(nowMs: number): void {
    for (const [flow, expiryMs] of expiriesMs) {
      if (expiryMs > nowMs && expiriesMs.size < capacity) return
      expiriesMs.delete(flow)
    }
  }

  return {
    spend(flow) {
      const nowMs = clock()
      if (expiriesMs.has(flow)) return false
      forgetOld(nowMs)
      expiriesMs.set(flow, nowMs + (ttlSeconds + marginSeconds) * 1000)
      return true
    },
  }
}

export interface SpentFlowStore {
  readonly consumeOnce: NonNullable<Adapter["consumeOnce"]>
}

/** Kept in the host's store, for all processes that share it. What fails there refuses the flow. */
export function createStoredSpentFlows({ consumeOnce }: SpentFlowStore, clock: Clock, ttlSeconds: number): SpentFlows {
  return {
    async spend(flow) {
      const expires = new Date(clock() + (ttlSeconds + marginSeconds) * 1000)
      // Compared with true: a store that answers with something else did not say that this caller was the first.
      return (await consumeOnce(await sha256Hex(flow), expires)) === true
    },
  }
}
