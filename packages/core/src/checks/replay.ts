import { sha256Hex } from "../crypto/hash.js"
import { randomId } from "../crypto/random.js"
import type { Store } from "../host/store.js"
import { checkMaxAgeSeconds } from "../http/own-cookies.js"
import { onePerProcess } from "../runtime/cache.js"
import { systemClock } from "../runtime/promise.js"
import type { Awaitable, Clock } from "../types/basics.js"

/**
 * Lets each flow complete once, OAuth and passkey flows alike: a callback that is replayed with copied cookies is
 * rejected for as long as those cookies are valid.
 */
export interface ReplayGuard {
  /** Marks a flow as completed. True only for the first call. */
  consume(flow: string): Awaitable<boolean>
}

/** Sealed values are accepted a little longer than their lifetime, to allow for clock skew. */
const rememberedMs = (checkMaxAgeSeconds + 60) * 1000

/** Shared by all configurations, so that a configuration that is rebuilt for each request does not forget. */
const openLocalGuard = onePerProcess("completed", 1, () => createReplayGuard())

/** Remembers completed flows in the store, for all processes, if its adapter has `consumeOnce`; else in this process. */
export function chooseReplayGuard(store: Store | null): ReplayGuard {
  return store?.has("consumeOnce") ? createStoredReplayGuard(store) : openLocalGuard()
}

/**
 * Remembers completed flows in this process, at least the last `capacity` of them. Other processes do not see them; there the
 * second line of defense is the provider, which accepts a code once, or the passkey's counter.
 * @internal Exported for its tests.
 */
export function createReplayGuard(clock: Clock = systemClock, capacity = 10_000): ReplayGuard {
  // Old flows are forgotten all at once. Finding the oldest one in a single set would mean walking past all deleted entries.
  let old = new Set<string>()
  let young = new Set<string>()
  let endMs = 0
  return {
    consume(flow) {
      const nowMs = clock()
      if (young.has(flow) || old.has(flow)) return false
      if (nowMs >= endMs || young.size === capacity) {
        old = young
        young = new Set()
        endMs = nowMs + rememberedMs
      }
      young.add(flow)
      return true
    },
  }
}

/**
 * Remembers completed flows in the host's store. If the store fails, so does the flow.
 * @internal Exported for its tests.
 */
export function createStoredReplayGuard(store: Pick<Store, "consumeOnce">, clock: Clock = systemClock): ReplayGuard {
  return {
    async consume(flow) {
      const expires = new Date(clock() + rememberedMs)
      // Only `true` counts: an adapter that returns anything else did not confirm the first use.
      return (await store.consumeOnce(await sha256Hex(flow), expires)) === true
    },
  }
}

/** Identifies a flow in one browser. Starts with the time, so that ids sort by age. */
export type FlowId = string & { readonly checked: "flow-id" }

const timeLength = 9
const pattern = /^[0-9a-z]{9}[0-9A-Za-z_-]{10}$/

export function createFlowId(clock: Clock): FlowId {
  const time = clock().toString(36).padStart(timeLength, "0")
  return `${time}${randomId(10)}` as FlowId // Fits the pattern.
}

/** When a flow began, in milliseconds since 1970. */
export function startOf(id: FlowId): number {
  return Number.parseInt(id.slice(0, timeLength), 36)
}

export function isFlowId(text: unknown): text is FlowId {
  return typeof text === "string" && pattern.test(text)
}
