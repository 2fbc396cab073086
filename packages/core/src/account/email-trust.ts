import type { Store } from "../host/store.js"
import type { AdapterUser } from "../types/adapter.js"
import type { OAuthProof } from "./proof.js"

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

/** Keeps, where the store can, that the provider vouched for the user's address. */
export async function storeVerifiedEmail(
  { id, email, emailVerified }: AdapterUser,
  proof: OAuthProof,
  store: Pick<Store, "has" | "isEmailVerified" | "markEmailVerified">,
): Promise<void> {
  if (emailVerified || !isEmailVerifiedBy(proof) || !store.has("markEmailVerified")) return
  // Whoever is signed in may add an account of another address.
  if (!proof.user.email || !isSameAddress(email, proof.user.email)) return
  // Read first: of the many sign-ins with one account only the first has something to write.
  if (store.has("isEmailVerified") && (await store.isEmailVerified({ id, email }))) return
  await store.markEmailVerified({ userId: id, email, provider: proof.account.provider })
}

/** Some providers send the claim as text. An absent claim says nothing. */
export function isEmailDenied({ profile }: OAuthProof): boolean {
  const claim: unknown = profile["email_verified"]
  return claim === false || claim === "false"
}

/**
 * The provider says so, or it does not deny it and the host believes its addresses. Text that says so is no such word.
 */
function isEmailVerifiedBy(proof: OAuthProof): boolean {
  if (proof.isEmailTrusted) return !isEmailDenied(proof)
  return proof.profile["email_verified"] === true && isAboutUser(proof)
}

/** The claim is about `email` of the profile; a host may have taken the user's address from somewhere else. */
function isAboutUser({ profile, user }: OAuthProof): boolean {
  const { email } = profile
  return typeof email !== "string" || isSameAddress(email, user.email ?? "")
}

/**
 * Whether the address of a stored user is the one that was proved. Stores may compare addresses without regard to
 * accents or case; look-alikes are not the same person.
 */
export function isSameAddress(stored: string | null | undefined, proved: string): boolean {
  return typeof stored === "string" && toAsciiLowerCase(stored) === toAsciiLowerCase(proved)
}

/** Letters of other scripts stay: the lower case of the Kelvin sign is a plain `k`, and so another person's address. */
function toAsciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
