import { AuthError, toError } from "../errors/auth-error.js"
import { AdapterError, MissingAdapterMethods } from "../errors/errors.js"
import type { Log } from "../log/log.js"
import type { Adapter } from "../types/adapter.js"
import { cleanError, showArguments } from "./redact.js"

/** The host's adapter with every method there: one that the host left out throws when it is called. */
export type Store = Required<Adapter> & { has(method: keyof Adapter): boolean }

/**
 * Wraps the host's adapter, so that whatever it throws is an `AdapterError`, logged once and thrown on.
 */
export function createStore(adapter: Adapter, log: Log): Store {
  const has = (method: keyof Adapter) => typeof adapter[method] === "function"
  const wrapped = new Map<string, unknown>([["has", has]])
  return new Proxy({} as Store, {
    // The proxy gives each name of `Store` a function of that name's type; the map keeps it from being made twice.
    get(_, name) {
      if (typeof name === "symbol" || name === "then") return undefined
      if (!wrapped.has(name)) wrapped.set(name, wrap(adapter, name as keyof Adapter, log))
      return wrapped.get(name)
    },
  })
}

function wrap(adapter: Adapter, name: keyof Adapter, log: Log): (...values: unknown[]) => Promise<unknown> {
  return async (...values) => {
    const method = adapter[name]
    if (typeof method !== "function") throw new MissingAdapterMethods(`adapter.${name} is needed here, but not there`)
    log.debug(`adapter.${name}`, () => showArguments(values))
    try {
      return await Reflect.apply(method, adapter, values)
    } catch (error) {
      throw error instanceof AuthError ? error : reported(name, cleanError(toError(error), values), log)
    }
  }
}

function reported(name: string, error: Error, log: Log): Error {
  const wrapped = new AdapterError(`adapter.${name} failed`, error)
  log.error(wrapped)
  return wrapped
}
