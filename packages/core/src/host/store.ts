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
   * Makes a lookup for a user who does not exist, so that the time of a response does not tell who has an account. An error
   * of the store, which may refuse such an id, is ignored.
   */
  lookUpNobody(method: Lookup): Promise<null>
}

/** Methods of the store that look something up for a user. */
export type Lookup =
  | "getUser"
  | "getPassword"
  | "isEmailVerified"
  | "listAccountsByUserId"
  | "listAuthenticatorsByUserId"
  | "listFactors"
  | "listSessionsByUserId"

/** Wraps the adapter so that every error is logged once and rethrown as an `AdapterError`. */
export function createStore(adapter: Adapter, log: Log): Store {
  const has = (method: keyof Adapter) => typeof adapter[method] === "function"
  const stores = new Map<string, object>()
  const findStore = (name: string) => {
    const own: unknown = Reflect.get(adapter, name)
    if (typeof own !== "object" || own === null) return undefined
    const known = stores.get(name) ?? wrapMethods(own, `adapter.${name}`, { log })
    stores.set(name, known)
    return known
  }
  const lookUpNobody: Store["lookUpNobody"] = async (method) => {
    const id = randomUUID()
    try {
      await (method === "isEmailVerified" ? adapter[method]?.({ id, email: id }) : adapter[method]?.(id))
    } catch {
      // The lookup of the address before it has told whether the store answers.
    }
    return null
  }
  const own = {
    has,
    findStore,
    lookUpNobody,
    ...(has("transaction") && { transaction: wrapTransaction(adapter, log) }),
  }
  // as: every property is a function of the type that `Store` declares.
  return wrapMethods(adapter, "adapter", { log, own }) as Store
}

type Transact = NonNullable<Adapter["transaction"]>

/**
 * A transaction whose calls are logged like all others. The adapter gets their errors as they are, since it may run the work
 * again. The error that is left is logged once, without the values of any call.
 */
function wrapTransaction(adapter: Adapter, log: Log): Transact {
  return async (work) => {
    const given: unknown[] = []
    const failed: { error?: unknown; path?: string } = {}
    const watch: Watch = {
      onCall: (values) => void given.push(...values),
      toFailure: async (error, { path }) => Object.assign(failed, { error, path }).error,
    }
    // as: it has the methods of the adapter
    const run: typeof work = (within) => work(wrapMethods(within, "adapter", { log, watch }) as Adapter)
    if (log.logsDebug) log.debug("adapter.transaction")
    try {
      // as: `has` was true
      return await (adapter as Required<Adapter>).transaction(run)
    } catch (error) {
      const path = failed.path !== undefined && failed.error === error ? failed.path : "adapter.transaction"
      throw await logFailure(error, { path, values: given }, log)
    }
  }
}

/** What is told about the calls of a transaction. */
interface Watch {
  onCall(values: readonly unknown[]): void
  toFailure(error: unknown, call: Call): Promise<unknown>
}

interface Wrapping {
  readonly log: Log
  /** Methods that are not wrapped. */
  readonly own?: object
  /** For the calls of a transaction. */
  readonly watch?: Watch
}

/** An object whose every property is a wrapped method of the target. */
function wrapMethods(target: object, path: string, { log, own = {}, watch }: Wrapping): object {
  // The map keeps each from being created twice.
  const wrapped = new Map<string, unknown>(Object.entries(own))
  return new Proxy(
    {},
    {
      get(_, name) {
        // Without `then`, so that `await` does not take the store for a promise.
        if (typeof name === "symbol" || name === "then") return undefined
        if (!wrapped.has(name)) wrapped.set(name, wrap({ target, name, path: `${path}.${name}` }, { log, watch }))
        return wrapped.get(name)
      },
    },
  )
}

/** Loaded with the first failure, or the first debug message. */
const loadRedact = lazy(() => import("./redact.js"))

/** Called for each request with a session, so that an outage would fill the log: each failure is logged once until a success. */
const askedOften: ReadonlySet<string> = new Set(["getSessionAndUser", "seeSession", "updateSession", "consumeOnce"])

/** How many different failures of a method are logged in one outage, in case each names a time or a connection. */
const maxLoggedInOutage = 5

interface Method {
  readonly target: object
  readonly name: string
  /** For messages. */
  readonly path: string
}

interface WrappedCall {
  readonly log: Log
  readonly watch: Watch | undefined
}

interface Call {
  readonly path: string
  readonly values: readonly unknown[]
  /** Of a method that is asked often. */
  readonly outage?: Outage | undefined
}

/** The failures that were logged since the last call that succeeded. */
type Outage = Set<string>

function wrap({ target, name, path }: Method, { log, watch }: WrappedCall): (...values: unknown[]) => Promise<unknown> {
  const outage: Outage | undefined = askedOften.has(name) ? new Set() : undefined
  const toFailure: Watch["toFailure"] = watch?.toFailure ?? ((error, call) => logFailure(error, call, log))
  return async (...values) => {
    const method: unknown = Reflect.get(target, name)
    if (typeof method !== "function") throw new MissingAdapterMethods(`${path} is missing. Add it to the adapter`)
    if (log.logsDebug) {
      const { showArguments } = await loadRedact()
      log.debug(path, () => showArguments(values))
    }
    watch?.onCall(values)
    try {
      const answer: unknown = await Reflect.apply(method, target, values)
      outage?.clear()
      // Some stores compare ids without regard to case, or read a number from the beginning of a text.
      if (name === "getUser" && String(Object(answer).id) !== String(values[0])) return null
      // Some adapters return the first of no rows, which is undefined.
      return answer ?? null
    } catch (error) {
      if (await isGone(name, target, values[0])) return null
      throw await toFailure(error, { path, values, outage })
    }
  }
}

/**
 * Whether a session that should be changed or deleted is gone, since a parallel request was first. Some adapters, such as that
 * of Auth.js for Prisma, throw then.
 */
async function isGone(name: string, target: Partial<Adapter>, value: unknown): Promise<boolean> {
  try {
    return (
      /^(delete|update)Session$/.test(name) && !(await target.getSessionAndUser?.(Object(value).sessionToken ?? value))
    )
  } catch {
    return false
  }
}

async function logFailure(error: unknown, { path, values, outage }: Call, log: Log): Promise<AuthError> {
  if (error instanceof AuthError) return error
  const { cleanError } = await loadRedact()
  const failure = new AdapterError(`${path} failed`, cleanError(toError(error), values))
  const sentence = String(failure.cause?.err?.message)
  if (outage && (outage.has(sentence) || outage.size >= maxLoggedInOutage)) return failure
  outage?.add(sentence)
  log.error(failure)
  return failure
}
