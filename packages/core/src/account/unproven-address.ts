import type { AdapterUser } from "../contract/adapter.js"
import type { Store } from "../host/store.js"

/** By which ways of this configuration somebody may be in an account without having proved its address. */
export interface OfferedWays {
  /** Whether people sign up with passkeys. */
  readonly isPasskeyOffered: boolean
  /** Whether people sign in by the host's `authorize`: any user may have a password then. */
  readonly isPasswordOffered: boolean
}

export interface UnprovenNeeds {
  readonly store: Pick<Store, "has" | "isEmailVerified" | "listAccountsByUserId" | "listAuthenticatorsByUserId">
  readonly ways: OfferedWays
}

type Person = Pick<AdapterUser, "id" | "email" | "emailVerified">

/**
 * Whether nobody has proved that the address is this user's: neither somebody who followed a link sent to it, nor a
 * provider that vouched for it. A store that does not keep what providers vouched for is asked about passkeys alone,
 * with which people name any address they like.
 */
export async function isAddressUnproven({ id, email, emailVerified }: Person, needs: UnprovenNeeds): Promise<boolean> {
  if (emailVerified) return false
  if (needs.store.has("isEmailVerified")) return !(await needs.store.isEmailVerified({ id, email }))
  return hasPasskey(id, needs)
}

/**
 * Whether somebody may be in an account whose address they never proved. Whoever does prove it must not end up there
 * beside them: it may have been made by somebody who knew that they would come. A user whom nobody can be yet, such as
 * one whom the host made for a person it expects, is in nobody's hands.
 */
export async function isHeldUnproven(user: Person, needs: UnprovenNeeds): Promise<boolean> {
  if (!(await isAddressUnproven(user, needs))) return false
  if (!needs.store.has("isEmailVerified")) return true
  return needs.ways.isPasswordOffered || (await hasPasskey(user.id, needs)) || hasAccount(user.id, needs)
}

async function hasPasskey(userId: string, { store, ways }: UnprovenNeeds): Promise<boolean> {
  return ways.isPasskeyOffered && (await store.listAuthenticatorsByUserId(userId)).length > 0
}

/** A store that cannot say is taken to say yes. */
async function hasAccount(userId: string, { store }: UnprovenNeeds): Promise<boolean> {
  return !store.has("listAccountsByUserId") || (await store.listAccountsByUserId(userId)).length > 0
}
