import { sha256Hex } from "../crypto/hash.js"
import { randomId } from "../crypto/random.js"
import type { Store } from "../host/store.js"
import { checkMaxAgeSeconds } from "../http/cookie-options.js"
import { systemClock } from "../runtime/promise.js"
import type { Adapter } from "../types/adapter.js"
import type { Awaitable, Clock } from "../types/basics.js"

/**
 * Remembers flows that were completed, those of passkeys among them, so that a copied callback cannot be played again
 * while its cookie would open.
 */
export interface ReplayGuard {
  /** True for the first caller only. */
  spend(flow: string): Awaitable<boolean>
}

/** Sealed values open a little longer than they live, since clocks differ. */
const marginSeconds = 60

/**
 * A list in this process, for the lifetime of a flow and of a bounded length. Another process does not see it; there
 * the provider, which accepts a code once, or a passkey's counter is the second lock.
 */
export function createReplayGuard(clock: Clock, ttlSeconds: number, capacity = 10_000): ReplayGuard {
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

interface ReplayStore {
  readonly consumeOnce: NonNullable<Adapter["consumeOnce"]>
}

/** Kept in the host's store, for all processes that share it. What fails there refuses the flow. */
export function createStoredReplayGuard({ consumeOnce }: ReplayStore, clock: Clock, ttlSeconds: number): ReplayGuard {
  return {
    async spend(flow) {
      const expires = new Date(clock() + (ttlSeconds + marginSeconds) * 1000)
      // Compared with true: a store that answers with something else did not say that this caller was the first.
      return (await consumeOnce(await sha256Hex(flow), expires)) === true
    },
  }
}

/** Shared by all configurations, so that one that is made anew for each request does not forget. */
const localGuard = createReplayGuard(systemClock, checkMaxAgeSeconds)

/** In the store where it can: other processes, which a balancer may send a copied callback to, know of it then. */
export function chooseReplayGuard(store: Store | null): ReplayGuard {
  if (!store?.has("consumeOnce")) return localGuard
  const consumeOnce = (id: string, expires: Date) => store.consumeOnce(id, expires)
  return createStoredReplayGuard({ consumeOnce }, systemClock, checkMaxAgeSeconds)
}

/** Names one sign-in flow of one browser. Begins with its time, so that ids sort by age without being opened. */
export type FlowId = string & { readonly checked: "flow-id" }

const timeLength = 9
const pattern = /^[0-9a-z]{9}[0-9A-Za-z_-]{10}$/

export function createFlowId(clock: Clock): FlowId {
  const time = clock().toString(36).padStart(timeLength, "0")
  return `${time}${randomId(10)}` as FlowId // Made to fit the pattern.
}

export function isFlowId(text: unknown): text is FlowId {
  return typeof text === "string" && pattern.test(text)
}
