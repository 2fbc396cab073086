import type { Adapter } from "@latchkey/core/adapters"
import { accountMethods } from "./accounts.js"
import { authenticatorMethods } from "./authenticators.js"
import { createItems, type Items } from "./items.js"
import type { KeyValueStorage } from "./key-value-storage.js"
import { removeExpired } from "./remove-expired.js"
import { sessionMethods } from "./sessions.js"
import { type SpendOnce, tokenMethods } from "./tokens.js"
import { userMethods } from "./users.js"
import { withinTime } from "./within-time.js"

export interface UnstorageAdapterOptions {
  /** Begins every key, with `:` behind it. Letters, digits, `_`, `-` and `:`. Default: `latchkey`. */
  readonly prefix?: string
  /** After how long a call is given up with an error. Default: 5000. */
  readonly timeoutMilliseconds?: number
  /**
   * What `unstorage` has no word for and many of its stores can do: remember an id until it expires, and say true to
   * the first caller alone, of however many, in one step (`SET ... NX`, `INSERT ... ON CONFLICT DO NOTHING`, a
   * compare-and-set). With it the adapter has the methods for email sign-in and passkeys.
   */
  readonly consumeOnce?: SpendOnce
  /**
   * Has the methods for email sign-in and passkeys without `consumeOnce`. The host accepts that a mailed link which is
   * followed twice at the same moment signs in twice, and that a copied sign-in may be played again at another
   * instance.
   */
  readonly acceptReplays?: true
}

type NeedsSpending =
  | "createVerificationToken"
  | "useVerificationToken"
  | "createAuthenticator"
  | "getAuthenticator"
  | "listAuthenticatorsByUserId"
  | "updateAuthenticatorCounter"
  | "updateAuthenticator"
  | "deleteAuthenticator"
  | "consumeOnce"

/** What has to happen once is there where the store can do that, or the host does without. */
export interface KeyValueAdapter extends Required<Omit<Adapter, NeedsSpending>>, Pick<Adapter, NeedsSpending> {
  /**
   * Removes sessions and verification tokens that had expired at an instant (default: now), and says how many they
   * were. For drivers that know no expiry of their own: call it now and then.
   */
  removeExpired(at?: Date): Promise<number>
}

/** The longest that a timer of the platform can wait. */
const longestTimerMs = 2_147_483_647

/**
 * Keeps the records in a storage of `unstorage`, on any runtime.
 *
 * Such a storage reads and writes single items; it cannot do two things in one step. So of several callers at the same
 * moment who make a user of one address or link one account, the last one wins. See the package's documentation.
 * @throws TypeError when an option cannot work
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
    ...((consumeOnce || acceptReplays) && onceMethods(items, consumeOnce)),
    removeExpired: (at = new Date()) => removeExpired(items, at),
  }
  return inTime(methods, timeoutMilliseconds)
}

function onceMethods(items: Items, consumeOnce: SpendOnce | undefined): Pick<Adapter, NeedsSpending> {
  return {
    ...tokenMethods(items, consumeOnce),
    ...authenticatorMethods(items),
    // Without an atomic one the service remembers in its own process, which is better than one that is not.
    ...(consumeOnce && { consumeOnce: async (id, expires) => (await consumeOnce(id, expires)) === true }),
  }
}

function inTime(methods: KeyValueAdapter, milliseconds: number): KeyValueAdapter {
  const timed = Object.entries(methods).map(([name, method]) => [
    name,
    (...values: unknown[]) => withinTime(milliseconds, async () => await Reflect.apply(method, undefined, values)),
  ])
  return Object.fromEntries(timed)
}
