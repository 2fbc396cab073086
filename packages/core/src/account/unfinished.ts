import type { Lookup, Store } from "../host/store.js"
import type { AdapterUser } from "../types/adapter.js"
import type { Awaitable } from "../types/basics.js"

/**
 * A credential with which someone can hold an account whose email address they never verified. The app checks a `password`
 * itself; a `stored-password` is in the store.
 */
export type AccountCredential = "passkey" | "password" | "stored-password"

/** What tells whether a sign-up was interrupted. */
export interface UnfinishedDeps {
  readonly store: Pick<
    Store,
    | "has"
    | "lookUpNobody"
    | "isEmailVerified"
    | "listAccountsByUserId"
    | "getPassword"
    | "listAuthenticatorsByUserId"
    | "listFactors"
    | "listSessionsByUserId"
  >
  /** The credentials that the configured providers accept. */
  readonly accountCredentials: ReadonlySet<AccountCredential | undefined>
}

type StoredPerson = Pick<AdapterUser, "id" | "email" | "emailVerified">

/** Records when sessions ended. It signs no one in. */
const endingKind = "ending"

/**
 * Whether a sign-up was interrupted after the user was stored: the address is unverified, and the user has no way to sign in.
 * The store has to prove both, which it cannot if the app checks passwords itself. Proving access to the mailbox finishes such
 * a sign-up. Signing in with a provider does not, since the address that it returns proves nothing.
 *
 * Makes the same calls for every user, so that the time of a response does not tell them apart.
 * @param isNobody Whether the user is made up, for an address that no one has.
 */
export async function isUnfinished(
  { id, email, emailVerified }: StoredPerson,
  { store, accountCredentials }: UnfinishedDeps,
  isNobody = false,
): Promise<boolean> {
  const isProvable =
    store.has("listAccountsByUserId") &&
    store.has("getPassword") &&
    store.has("listSessionsByUserId") &&
    canTakeBack(store) &&
    !accountCredentials.has("password")
  if (!isProvable) return false
  const look = async <T>(method: Lookup, call: () => Awaitable<T>) => (isNobody ? store.lookUpNobody(method) : call())
  const isVerified =
    store.has("isEmailVerified") && (await look("isEmailVerified", () => store.isEmailVerified({ id, email })))
  const accounts = await look("listAccountsByUserId", () => store.listAccountsByUserId(id))
  const password = await look("getPassword", () => store.getPassword(id))
  const passkeys =
    store.has("listAuthenticatorsByUserId") &&
    (await look("listAuthenticatorsByUserId", () => store.listAuthenticatorsByUserId(id)))
  const rows = store.has("listFactors") ? await look("listFactors", () => store.listFactors(id)) : null
  const sessions = await look("listSessionsByUserId", () => store.listSessionsByUserId(id))
  const factors = rows?.filter(({ kind }) => kind !== endingKind)
  const isWithout = [accounts, passkeys, factors, sessions].every((list) => !list || list.length === 0)
  return !emailVerified && !isVerified && !password && isWithout
}

/**
 * Whether a sign-up that goes on while its user is finished leaves no way to sign in: it is stored in one transaction, or can
 * be removed.
 */
function canTakeBack(store: Pick<Store, "has">): boolean {
  const canRemovePasskeys = !store.has("listAuthenticatorsByUserId") || store.has("deleteAuthenticator")
  return store.has("transaction") || (store.has("unlinkAccount") && canRemovePasskeys)
}

/** Whether a user can sign in with an account at a provider or a passkey. False if the store cannot list them. */
export async function hasAccountOrPasskey(
  userId: string,
  { store }: { readonly store: Pick<Store, "has" | "listAccountsByUserId" | "listAuthenticatorsByUserId"> },
): Promise<boolean> {
  const accounts = store.has("listAccountsByUserId") ? await store.listAccountsByUserId(userId) : []
  const passkeys = store.has("listAuthenticatorsByUserId") ? await store.listAuthenticatorsByUserId(userId) : []
  return accounts.length + passkeys.length > 0
}
