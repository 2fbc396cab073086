import type { AdapterUser } from "../contract/adapter.js"
import type { Store } from "../host/store.js"
import type { OAuthProof } from "./proof.js"
import { isSameAddress } from "./same-address.js"

/** Keeps, where the store can, that the provider vouched for the user's address. */
export async function keepVerifiedEmail(
  { id, email, emailVerified }: AdapterUser,
  proof: OAuthProof,
  store: Pick<Store, "has" | "isEmailVerified" | "markEmailVerified">,
): Promise<void> {
  if (emailVerified || !isVouched(proof) || !store.has("markEmailVerified")) return
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
function isVouched(proof: OAuthProof): boolean {
  if (proof.isEmailTrusted) return !isEmailDenied(proof)
  return proof.profile["email_verified"] === true && isAboutUser(proof)
}

/** The claim is about `email` of the profile; a host may have taken the user's address from somewhere else. */
function isAboutUser({ profile, user }: OAuthProof): boolean {
  const { email } = profile
  return typeof email !== "string" || isSameAddress(email, user.email ?? "")
}
