import type { Adapter } from "@latchkey/core/adapters"
import type { RateLimitStore } from "@latchkey/core/types"
import type { Exchange, Write } from "./exchange.js"
import type { Scheduler } from "./scheduler.js"

type Work = (adapter: Adapter) => Promise<unknown>

interface StoreWorld {
  readonly scheduler: Scheduler
  /** Called after each write. */
  recordWrite(exchange: Exchange, write: Write): void
}

/** Methods that only read. */
const reads: ReadonlySet<string> = new Set([
  "getUser",
  "getUserByEmail",
  "getUserByAccount",
  "getAccount",
  "getSessionAndUser",
  "getAuthenticator",
  "listAuthenticatorsByUserId",
  "listAccountsByUserId",
  "isEmailVerified",
  "listSessionsByUserId",
  "getPassword",
  "listFactors",
  "getAccountChange",
  "listAccountChanges",
])

/**
 * An adapter as one instance of the service sees it: each call waits for the scheduler, and may fail before or after the
 * write, or happen twice. One call stays one atomic step, which is what the adapter suite promises.
 */
export function simulatedStore(adapter: Adapter, instance: number, world: StoreWorld): Adapter {
  const { scheduler } = world
  /** A new session may have ended others in the same step. */
  async function list(method: string, [detail]: readonly unknown[]): Promise<Pick<Write, "listed">> {
    if (method !== "createSessionDetail") return {}
    const live = await adapter.listSessionsByUserId?.(String(Object(detail).userId))
    return { listed: (live ?? []).map(({ id }) => id) }
  }
  const wrap = (method: string, call: (...values: unknown[]) => unknown) => {
    async function perform(values: readonly unknown[]): Promise<unknown> {
      const result = await Reflect.apply(call, adapter, values)
      const exchange = scheduler.running()?.exchange
      if (exchange && !reads.has(method))
        world.recordWrite(exchange, { method, args: values, result, ...(await list(method, values)) })
      return result
    }
    if (method === "transaction") return (work: Work) => transact((inner) => record(work, inner), call)
    return async (...values: unknown[]) => {
      const faults = reads.has(method) ? (["fail"] as const) : (["fail", "lost", "twice"] as const)
      const outcome = await scheduler.cut({ label: `store.${method}`, faults, instance })
      if (outcome !== "ok") scheduler.running()?.exchange?.faults.push(`store.${method}: ${outcome}`)
      if (outcome === "fail") throw new Error("The store cannot be reached")
      const result = await perform(values)
      if (outcome === "lost") throw new Error("The connection to the store was lost")
      return outcome === "twice" ? perform(values) : result
    }
  }
  /** Its calls are one step. */
  async function transact(work: Work, call: (...values: unknown[]) => unknown): Promise<unknown> {
    const outcome = await scheduler.cut({ label: "store.transaction", faults: ["fail", "lost"], instance })
    if (outcome !== "ok") scheduler.running()?.exchange?.faults.push(`store.transaction: ${outcome}`)
    if (outcome === "fail") throw new Error("The store cannot be reached")
    const result = await Reflect.apply(call, adapter, [work])
    if (outcome === "lost") throw new Error("The connection to the store was lost")
    return result
  }
  /** The work of a transaction. Its writes count when it is done: if it fails, none of them happened. */
  async function record(work: Work, inner: Adapter): Promise<unknown> {
    const writes: Write[] = []
    const result = await work(inside(inner, writes))
    const exchange = scheduler.running()?.exchange
    if (exchange) for (const write of writes) world.recordWrite(exchange, write)
    return result
  }
  /** The adapter within a transaction. */
  function inside(inner: Adapter, writes: Write[]): Adapter {
    const calls = Object.entries(inner).filter(([, call]) => typeof call === "function")
    const recorded = calls.map(([method, call]) => [
      method,
      async (...args: unknown[]) => {
        const result = await Reflect.apply(call, inner, args)
        if (!reads.has(method)) writes.push({ method, args, result })
        return result
      },
    ])
    return Object.fromEntries(recorded)
  }
  const methods = Object.entries(adapter).filter(([, call]) => typeof call === "function")
  return Object.fromEntries(methods.map(([method, call]) => [method, wrap(method, call)]))
}

interface Counter {
  used: number
  readonly endsAtMs: number
}

/** The shared counters of the rate limits, by the clock of the store. */
export function createCounters(now: () => number): RateLimitStore {
  const counters = new Map<string, Counter>()
  const find = (key: string) => {
    const counter = counters.get(key)
    return counter && counter.endsAtMs > now() ? counter : undefined
  }
  return {
    consume(key, windowSeconds) {
      const counter = find(key) ?? { used: 0, endsAtMs: now() + windowSeconds * 1000 }
      counter.used += 1
      counters.set(key, counter)
      return { used: counter.used, msLeft: counter.endsAtMs - now() }
    },
    refund(key) {
      const counter = find(key)
      if (counter && counter.used > 0) counter.used -= 1
    },
    has: (key) => find(key) !== undefined,
    forget: (key) => void counters.delete(key),
  }
}

/** The counters as one instance sees them: each call waits for the scheduler. */
export function simulatedCounters(
  counters: RateLimitStore,
  instance: number,
  { scheduler }: Pick<StoreWorld, "scheduler">,
): RateLimitStore {
  const wait = async (method: string): Promise<void> => {
    await scheduler.cut({ label: `counters.${method}`, faults: [], instance })
  }
  return {
    consume: async (key, windowSeconds) => {
      await wait("consume")
      return counters.consume(key, windowSeconds)
    },
    refund: async (key, windowSeconds) => {
      await wait("refund")
      return counters.refund(key, windowSeconds)
    },
    has: async (key) => {
      await wait("has")
      return counters.has(key)
    },
    forget: async (key) => {
      await wait("forget")
      return counters.forget(key)
    },
  }
}
