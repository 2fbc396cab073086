import { AuthError, toError } from "../errors/auth-error.js"
import { AdapterError, MissingAdapterMethods } from "../errors/errors.js"
import type { Log } from "../log/log.js"
import { lazy } from "../runtime/cache.js"
import type { Adapter } from "../types/adapter.js"

/** The adapter with every method present; a missing one throws when it is called. */
export type Store = Required<Adapter> & { has(method: keyof Adapter): boolean }

/** Wraps the adapter so that every error is logged once and rethrown as an `AdapterError`. */
export function createStore(adapter: Adapter, log: Log): Store {
  const has = (method: keyof Adapter) => typeof adapter[method] === "function"
  const wrapped = new Map<string, unknown>([["has", has]])
  return new Proxy({} as Store, {
    // Every property is a function of the type that `Store` declares; the map keeps each from being created twice.
    get(_, name) {
      // Without `then`, so that `await` does not take the store for a promise.
      if (typeof name === "symbol" || name === "then") return undefined
      if (!wrapped.has(name)) wrapped.set(name, wrap(adapter, name as keyof Adapter, log))
      return wrapped.get(name)
    },
  })
}

/** Loaded with the first failure, or the first debug message. */
const loadRedact = lazy(() => import("./redact.js"))

function wrap(adapter: Adapter, name: keyof Adapter, log: Log): (...values: unknown[]) => Promise<unknown> {
  return async (...values) => {
    const method = adapter[name]
    if (typeof method !== "function")
      throw new MissingAdapterMethods(`adapter.${name} is missing. Add it to the adapter`)
    if (log.logsDebug) {
      const { showArguments } = await loadRedact()
      log.debug(`adapter.${name}`, () => showArguments(values))
    }
    try {
      return await Reflect.apply(method, adapter, values)
    } catch (error) {
      if (error instanceof AuthError) throw error
      const { cleanError } = await loadRedact()
      const failure = new AdapterError(`adapter.${name} failed`, cleanError(toError(error), values))
      log.error(failure)
      throw failure
    }
  }
}
