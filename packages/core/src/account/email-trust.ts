import { toNormalAddress } from "../host/email-address.js"
import type { Store } from "../host/store.js"
import { isSameId } from "../runtime/id.js"
import type { AdapterUser } from "../types/adapter.js"
import type { OAuthProof } from "./proof.js"
import { isUnfinished, type UnfinishedDeps } from "./unfinished.js"

/** What the checks of stored addresses need. */
export type EmailTrustDeps = UnfinishedDeps

type StoredPerson = Pick<AdapterUser, "id" | "email" | "emailVerified">

/**
 * Whether the user's address was never verified, neither by a mailed link nor by a provider. If the store does not keep
 * what providers verified, only users with a passkey count as unverified: anyone can sign up with a passkey and any
 * address.
 */
export async function isAddressUnverified(user: StoredPerson, deps: EmailTrustDeps): Promise<boolean> {
  const { id, email, emailVerified } = user
  if (emailVerified) return false
  if (deps.store.has("isEmailVerified")) return !(await deps.store.isEmailVerified({ id, email }))
  return hasPasskey(id, deps)
}

/** Whether the user has opened a mail at the address, or a provider has verified it. */
export async function isAddressProved(
  { id, email, emailVerified }: StoredPerson,
  store: Pick<Store, "has" | "isEmailVerified">,
): Promise<boolean> {
  if (!email) return false
  if (emailVerified) return true
  return store.has("isEmailVerified") && (await store.isEmailVerified({ id, email }))
}

/**
 * Whether someone may hold this account without having verified its address. The owner of the address must not share it
 * with them: they may have created it in advance (pre-hijacking). An account without a way to sign in, such as one
 * that the host created for an expected user, is safe.
 */
export async function isHeldWithoutVerification(user: StoredPerson, deps: EmailTrustDeps): Promise<boolean> {
  if (!(await isAddressUnverified(user, deps))) return false
  if (!deps.store.has("isEmailVerified")) return true
  if (deps.accountCredentials.has("password")) return true
  if (deps.accountCredentials.has("stored-password")) return !(await isUnfinished(user, deps))
  if (await hasPasskey(user.id, deps)) return true
  // A store that cannot list accounts may have one.
  return !deps.store.has("listAccountsByUserId") || (await deps.store.listAccountsByUserId(user.id)).length > 0
}

async function hasPasskey(userId: string, { store, accountCredentials }: EmailTrustDeps): Promise<boolean> {
  return accountCredentials.has("passkey") && (await store.listAuthenticatorsByUserId(userId)).length > 0
}

/** Records that the provider verified the user's address, if the store can keep that. */
export async function storeVerifiedEmail(
  { id, email, emailVerified }: AdapterUser,
  proof: OAuthProof,
  store: Pick<Store, "has" | "isEmailVerified" | "markEmailVerified">,
): Promise<void> {
  if (emailVerified || !isEmailVerifiedBy(proof) || !store.has("markEmailVerified")) return
  // A signed-in user may link an account with another address.
  if (!hasProvedAddress({ email }, proof)) return
  // Read first: only the first of many sign-ins has something to write.
  if (store.has("isEmailVerified") && (await store.isEmailVerified({ id, email }))) return
  await store.markEmailVerified({ userId: id, email, provider: proof.account.provider })
}

/** Whether the provider sent `email_verified: false`. Some send the claim as a string. */
export function isEmailDenied({ profile }: OAuthProof): boolean {
  const claim: unknown = profile["email_verified"]
  return claim === false || claim === "false"
}

/**
 * Whether the provider verified the address: `email_verified` is true, or the host trusts this provider and the claim is
 * not false. The string "true" is not enough.
 */
function isEmailVerifiedBy(proof: OAuthProof): boolean {
  if (proof.isEmailTrusted) return !isEmailDenied(proof)
  return proof.profile["email_verified"] === true && isAboutUser(proof)
}

/** `email_verified` is about the `email` claim. A `profile` callback may have taken the address from elsewhere. */
function isAboutUser({ profile, user }: OAuthProof): boolean {
  const { email } = profile
  return typeof email !== "string" || isSameAddress(toNormalAddress(email), user.email ?? "")
}

/** Whether the stored address is that of the profile, in its normal form or as it was stored before. */
export function hasProvedAddress(
  { email: stored }: Pick<AdapterUser, "email">,
  { user: { email }, givenEmail }: Pick<OAuthProof, "user" | "givenEmail">,
): boolean {
  return [email, givenEmail].some((form) => typeof form === "string" && isSameAddress(stored, form))
}

/**
 * Whether a stored address is the verified one. Some stores ignore accents and case when they look up an address, which
 * finds look-alikes.
 */
export function isSameAddress(stored: string | null | undefined, verified: string): boolean {
  return typeof stored === "string" && toAsciiLowerCase(stored) === toAsciiLowerCase(verified)
}

/** ASCII only: the Kelvin sign in lower case is `k`, which would be another person's address. */
export function toAsciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/**
 * The users who have an address in one of its forms: first as it was given, since a row may be older than the normal form,
 * then in the normal form. All forms are looked up even after one is found, so that the number of calls reveals nothing.
 */
export async function findAddressOwners(
  forms: readonly (string | undefined)[],
  store: Pick<Store, "getUserByEmail">,
): Promise<readonly AdapterUser[]> {
  const owners: AdapterUser[] = []
  for (const form of new Set(forms)) {
    if (form === undefined) continue
    const found = await store.getUserByEmail(form)
    const isNew = found && isSameAddress(found.email, form) && !owners.some(({ id }) => isSameId(id, found.id))
    if (isNew) owners.push(found)
  }
  return owners
}

/** The only user who has an address. Null if there is none, or if two users have it, each in another form. */
export async function findAddressOwner(
  forms: readonly (string | undefined)[],
  store: Pick<Store, "getUserByEmail">,
): Promise<AdapterUser | null> {
  const [owner = null, other] = await findAddressOwners(forms, store)
  return other ? null : owner
}
