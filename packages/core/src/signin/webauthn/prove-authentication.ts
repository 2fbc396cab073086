import type { PasskeyProof } from "../../account/proof.js"
import type { RedeemedChallenge } from "../../checks/redeem-challenge.js"
import type { AdapterAuthenticator, AdapterUser } from "../../contract/adapter.js"
import { AuthError } from "../../errors/auth-error.js"
import { WebAuthnVerificationError } from "../../errors/sign-in.js"
import { Refusal } from "../../web/refusal.js"
import type { Proven } from "../method.js"
import { toStoredText } from "./base64.js"
import { type ReturnedCeremony, resumeCeremony } from "./ceremony.js"
import { digestOf } from "./listed-credentials.js"
import { type AuthenticationResponse, readAuthentication } from "./read-response.js"
import { isHandleOf } from "./user-handle.js"
import { type VerifiedAssertion, verifyAuthentication } from "./verify-authentication.js"

/**
 * A device signed with a passkey's key: this is its owner.
 * @throws InvalidCheck, WebAuthnVerificationError; AuthError when the passkey's account or user is gone
 */
export async function proveAuthentication(returned: ReturnedCeremony): Promise<Proven> {
  const { visit } = returned
  const response = readAuthentication(visit)
  const resumed = await resumeCeremony(returned, { ...response, action: "authenticate" })
  const { redeemed, party, assertClient } = resumed
  try {
    assertClient()
    await assertListed(response, redeemed)
    const { provider, needs } = returned
    const stored = (await needs.store.getAuthenticator(toStoredText(response.id))) ?? null
    const library = await needs.library()
    const verified = await verifyAuthentication({ response, stored, redeemed, party, provider }, library)
    await raiseCounter(verified, returned)
    const proof = await toProof(verified.authenticator, response, returned)
    await noteUse(verified, returned)
    return { proof, callbackUrl: undefined, cookies: redeemed.cookies }
  } catch (error) {
    throw new Refusal(error, redeemed.cookies)
  }
}

/** WebAuthn level 3, section 7.2 (allowCredentials). */
async function assertListed({ id }: AuthenticationResponse, { allowed }: RedeemedChallenge): Promise<void> {
  if (!allowed || allowed.includes(await digestOf(id))) return
  throw new WebAuthnVerificationError("credential: not one that the options listed")
}

/** Of two responses at once the store lets the larger counter stand; the other one may come from a copy of the key. */
async function raiseCounter({ authenticator, counter }: VerifiedAssertion, { needs }: ReturnedCeremony): Promise<void> {
  const updated: Partial<AdapterAuthenticator> | undefined = await needs.store.updateAuthenticatorCounter(
    authenticator.credentialID,
    counter,
  )
  if (Number(updated?.counter ?? 0) > counter) {
    throw new WebAuthnVerificationError("counter: another response with a larger one came meanwhile")
  }
}

async function toProof(
  { providerAccountId, userId }: AdapterAuthenticator,
  response: AuthenticationResponse,
  { provider, needs }: ReturnedCeremony,
): Promise<PasskeyProof> {
  const found = await needs.store.getAccount(providerAccountId, provider.id)
  if (!found) throw new AuthError("The passkey has no account at this provider", { provider: provider.id })
  const user = await needs.store.getUser(found.userId)
  if (!user) throw new AuthError("The passkey's user is gone", { provider: provider.id })
  if (user.id !== userId) throw new WebAuthnVerificationError("credential: its account belongs to another user")
  await assertHandle(response, user, { provider, needs })
  return { kind: "webauthn", user, account: { providerAccountId, provider: provider.id, type: "webauthn" }, made: null }
}

/**
 * WebAuthn level 3, section 7.2 (userHandle). An absent handle says nothing: the credential's id names its owner as
 * well.
 */
async function assertHandle(
  { userHandle }: AuthenticationResponse,
  owner: AdapterUser,
  { provider, needs }: Pick<ReturnedCeremony, "provider" | "needs">,
): Promise<void> {
  if (userHandle === undefined || userHandle === "") return
  const isForeignAccepted = provider.acceptForeignUserHandles === true
  if (await isHandleOf({ handle: userHandle, owner, isForeignAccepted }, needs.store)) return
  throw new WebAuthnVerificationError("userHandle: not the owner's")
}

/** WebAuthn level 3, section 7.2 (update of the credential record), as far as the store has room for it. */
async function noteUse({ authenticator, isBackedUp }: VerifiedAssertion, { needs }: ReturnedCeremony): Promise<void> {
  if (!needs.store.has("updateAuthenticator")) return
  const { credentialID } = authenticator
  const lastUsedAt = new Date(needs.challenges.clock())
  await needs.store.updateAuthenticator({ credentialID, credentialBackedUp: isBackedUp, lastUsedAt })
}
