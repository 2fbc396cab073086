import { randomUUID } from "../crypto/random.js"
import { AuthError, toError } from "../errors/auth-error.js"
import { AdapterError, MissingAdapterMethods } from "../errors/errors.js"
import type { Log } from "../log/log.js"
import { lazy } from "../runtime/cache.js"
import type { Adapter } from "../types/adapter.js"

/** The adapter with every method present; a missing one throws when it is called. */
export type Store = Required<Adapter> & {
  has(method: keyof Adapter): boolean
  /**
   * A store of a feature: a property of the adapter with methods of its own, whose errors are logged and rethrown like those
   * of the adapter. Undefined if the adapter has none of this name.
   */
  findStore<Own extends object>(name: string): Own | undefined
  /**
   * Makes a lookup for a user who does not exist, so that the time of a response does not tell who has an account. The
   * store may refuse such an id, which nobody needs to know.
   */
  lookUpNobody(method: "getUser" | "getPassword" | "listAuthenticatorsByUserId"): Promise<null>
}

/** Wraps the adapter so that every error is logged once and rethrown as an `AdapterError`. */
export function createStore(adapter: Adapter, log: Log): Store {
  const has = (method: keyof Adapter) => typeof adapter[method] === "function"
  const stores = new Map<string, object>()
  const findStore = (name: string) => {
    const own: unknown = Reflect.get(adapter, name)
    if (typeof own !== "object" || own === null) return undefined
    const known = stores.get(name) ?? wrapMethods(own, `adapter.${name}`, log)
    stores.set(name, known)
    return known
  }
  const lookUpNobody: Store["lookUpNobody"] = async (method) => {
    try {
      await adapter[method]?.(randomUUID())
    } catch {
      // The lookup of the address before it has told whether the store answers.
    }
    return null
  }
  // as: every property is a function of the type that `Store` declares.
  return wrapMethods(adapter, "adapter", log, { has, findStore, lookUpNobody }) as Store
}

/** An object whose every property is a wrapped method of the target. */
function wrapMethods(target: object, path: string, log: Log, own: object = {}): object {
  // The map keeps each from being created twice.
  const wrapped = new Map<string, unknown>(Object.entries(own))
  return new Proxy(
    {},
    {
      get(_, name) {
        // Without `then`, so that `await` does not take the store for a promise.
        if (typeof name === "symbol" || name === "then") return undefined
        if (!wrapped.has(name)) wrapped.set(name, wrap({ target, name, path: `${path}.${name}` }, log))
        return wrapped.get(name)
      },
    },
  )
}

/** Loaded with the first failure, or the first debug message. */
const loadRedact = lazy(() => import("./redact.js"))

interface Method {
  readonly target: object
  readonly name: string
  /** For messages. */
  readonly path: string
}

function wrap({ target, name, path }: Method, log: Log): (...values: unknown[]) => Promise<unknown> {
  return async (...values) => {
    const method: unknown = Reflect.get(target, name)
    if (typeof method !== "function") throw new MissingAdapterMethods(`${path} is missing. Add it to the adapter`)
    if (log.logsDebug) {
      const { showArguments } = await loadRedact()
      log.debug(path, () => showArguments(values))
    }
    try {
      return await Reflect.apply(method, target, values)
    } catch (error) {
      if (error instanceof AuthError) throw error
      const { cleanError } = await loadRedact()
      const failure = new AdapterError(`${path} failed`, cleanError(toError(error), values))
      log.error(failure)
      throw failure
    }
  }
}
