import type { Adapter, AdapterFeatures, StoreDefect } from "@latchkey/core/adapters"
import { accountMethods, authenticatorMethods } from "./accounts.js"
import { createItems, type Items, type KeyValueStorage } from "./items.js"
import { type ConsumeOnce, removeExpired, sessionMethods, temporaryMethods, tokenMethods } from "./sessions.js"
import { userMethods } from "./users.js"

/** Options of `UnstorageAdapter`. */
export interface UnstorageAdapterOptions {
  /** Begins every key, followed by `:`. Letters, digits, `_`, `-` and `:`. Default: `latchkey`. */
  readonly prefix?: string | undefined
  /** How long a call may take before it fails. Default: 5000. */
  readonly timeoutMilliseconds?: number | undefined
  /**
   * An atomic operation that `unstorage` lacks but many of its stores support: remember an id until it expires, and
   * return true to the first of all callers only (`SET ... NX`, `INSERT ... ON CONFLICT DO NOTHING`, a
   * compare-and-set). With it, the adapter has the methods for email sign-in and passkeys, and those for temporary values.
   */
  readonly consumeOnce?: ConsumeOnce | undefined
  /**
   * Adds the methods for email sign-in and passkeys without `consumeOnce`. You accept that a sign-in link that is used
   * twice at the same time signs in twice, and that a copied sign-in may be replayed at another instance.
   */
  readonly acceptReplays?: true | undefined
}

type ConsumingMethod =
  | "createVerificationToken"
  | "useVerificationToken"
  | "createAuthenticator"
  | "getAuthenticator"
  | "listAuthenticatorsByUserId"
  | "updateAuthenticatorCounter"
  | "updateAuthenticator"
  | "deleteAuthenticator"
  | "consumeOnce"
  | "keepTemporary"
  | "takeTemporary"

/** The adapter. Methods that rely on `consumeOnce` exist only with it or with `acceptReplays`. */
export interface KeyValueAdapter
  extends Required<Omit<Adapter, ConsumingMethod | keyof AdapterFeatures | "transaction">>,
    Pick<Adapter, ConsumingMethod> {
  /**
   * Deletes the sessions, verification tokens and temporary values that had expired at a time (default: now) and returns
   * their number. For drivers without expiry: call it regularly.
   */
  removeExpired(at?: Date): Promise<number>
  /**
   * Writes a value that expires, reads it back and deletes it, for the readiness check of an orchestrator. With `consumeOnce`,
   * uses an id once and checks that it cannot be used again.
   * @throws Error if the storage does not answer, does not keep the value, or if `consumeOnce` is wrong
   */
  checkStore(): Promise<void>
  /**
   * Lists what is wrong with the store behind the driver, as far as the driver tells, for `latchkey doctor`: it keeps records in one
   * process, or removes some when its memory is full. Writes nothing. Of a storage with several drivers nothing is known.
   */
  findStoreDefects(): Promise<readonly StoreDefect[]>
}

/** The longest delay that timers support. */
const longestTimerMs = 2_147_483_647

/**
 * Stores the records in an `unstorage` storage, on any runtime.
 *
 * Such a storage reads and writes single items and has no transactions. If several callers create a user with the same
 * email or link the same account at the same time, the last one wins. See the package's documentation.
 * @throws TypeError if an option is invalid
 */
export function UnstorageAdapter(storage: KeyValueStorage, options: UnstorageAdapterOptions = {}): KeyValueAdapter {
  const { prefix = "latchkey", timeoutMilliseconds = 5000, consumeOnce, acceptReplays } = options
  if (!(timeoutMilliseconds > 0 && timeoutMilliseconds <= longestTimerMs)) {
    throw new TypeError("UnstorageAdapter: timeoutMilliseconds must be a positive number of milliseconds")
  }
  const items = createItems(storage, prefix)
  const methods: KeyValueAdapter = {
    ...userMethods(items),
    ...accountMethods(items),
    ...sessionMethods(items),
    ...((consumeOnce || acceptReplays) && consumingMethods(items, consumeOnce)),
    removeExpired: (at = new Date()) => removeExpired(items, at),
    checkStore: () => checkStore(items, consumeOnce),
    async findStoreDefects() {
      const { findStoreDefects } = await import("./store-defects.js")
      const drivers = storage.getMounts?.().map(({ driver }) => driver) ?? []
      return findStoreDefects(drivers)
    },
  }
  const timed = Object.entries(methods).map(([name, method]) => [
    name,
    (...values: unknown[]) =>
      withTimeout(timeoutMilliseconds, async () => await Reflect.apply(method, undefined, values)),
  ])
  return Object.fromEntries(timed)
}

function consumingMethods(items: Items, consumeOnce: ConsumeOnce | undefined): Pick<Adapter, ConsumingMethod> {
  return {
    ...tokenMethods(items, consumeOnce),
    ...authenticatorMethods(items),
    // Without this method, the service remembers ids in its own process, which beats a store without atomicity.
    ...(consumeOnce && { consumeOnce: async (id, expires) => (await consumeOnce(id, expires)) === true }),
    ...(consumeOnce && temporaryMethods(items, consumeOnce)),
  }
}

const checkMs = 60_000

async function checkStore(items: Items, consumeOnce: ConsumeOnce | undefined): Promise<void> {
  const id = crypto.randomUUID()
  const expires = new Date(Date.now() + checkMs)
  await items.put(["temporary", id], { fields: { value: id } }, expires)
  const found = await items.find("temporary", id)
  await items.remove("temporary", id)
  if (found?.fields["value"] !== id) throw new Error("Storage: a value that was just written is not there")
  if (!consumeOnce) return
  const uses = [await consumeOnce(id, expires), await consumeOnce(id, expires)]
  if (uses[0] !== true) throw new Error("Storage: consumeOnce must return true to the first caller with an id")
  if (uses[1] === true) throw new Error("Storage: consumeOnce returned true to a second caller with the same id")
}

/** @throws Error if the work takes longer */
async function withTimeout<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`Storage: no response within ${milliseconds} ms`)), milliseconds)
  try {
    return await Promise.race([work(), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
