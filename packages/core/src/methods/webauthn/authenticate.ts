import type { PasskeyProof } from "../../account/proof.js"
import type { RedeemedChallenge } from "../../checks/challenge.js"
import { fromBase64url } from "../../crypto/encoding.js"
import { WebAuthnVerificationError } from "../../errors/errors.js"
import { because } from "../../errors/failure-reason.js"
import { Refusal } from "../../http/response.js"
import { isSameId } from "../../runtime/id.js"
import type { AdapterAuthenticator, AdapterUser } from "../../types/adapter.js"
import type { WebAuthnConfig } from "../../types/providers.js"
import type { Proven } from "../steps.js"
import {
  achievedWith,
  isVerificationRequired,
  type ResolvedRelyingParty,
  type ReturnedCeremony,
  refuseUnverified,
  resumeCeremony,
  toTopOrigins,
} from "./ceremony.js"
import { digestOf } from "./credential-list.js"
import type { WebAuthnLibrary } from "./library.js"
import { type AuthenticationResponse, readAuthentication, toStoredText, toWireText } from "./response.js"
import {
  type AuthenticatorData,
  algorithmOf,
  isDerSignature,
  isSignatureDer,
  parseAuthenticatorData,
  toCoseKey,
} from "./strict-encoding.js"
import { isHandleOf } from "./user.js"

/**
 * Verifies the signature of a stored passkey, which proves its owner.
 * @throws InvalidCheck, WebAuthnVerificationError; also when the passkey's account or user does not exist: the app may have
 *   removed it, or a process ended before it was stored
 */
export async function proveAuthentication(returned: ReturnedCeremony): Promise<Proven<PasskeyProof>> {
  const { request } = returned
  const response = readAuthentication(request)
  const resumed = await resumeCeremony(returned, { ...response, action: "authenticate" })
  const { redeemed, party, assertClient } = resumed
  try {
    assertClient()
    await assertListed(response, redeemed)
    const { provider, deps } = returned
    const stored = await deps.store.getAuthenticator(toStoredText(response.id))
    const library = await deps.library()
    const verified = await verifyAuthentication({ response, stored, redeemed, party, provider }, library)
    // Before the first write: WebAuthn level 3, section 7.2 identifies the user first, and updates the credential last.
    const proof = await toProof(verified, response, returned)
    await raiseCounter(verified, returned)
    await recordUse(verified, returned)
    return { proof, callbackUrl: undefined, cookies: redeemed.cookies }
  } catch (error) {
    throw new Refusal(error, redeemed.cookies)
  }
}

/** WebAuthn level 3, section 7.2 (allowCredentials). */
async function assertListed({ id }: AuthenticationResponse, { allowed }: RedeemedChallenge): Promise<void> {
  if (!allowed || allowed.includes(await digestOf(id))) return
  throw new WebAuthnVerificationError("credential: not listed in allowCredentials")
}

/** Of two concurrent responses, the store keeps the larger counter. The other one may come from a cloned key. */
async function raiseCounter({ authenticator, counter }: VerifiedAssertion, { deps }: ReturnedCeremony): Promise<void> {
  const updated: Partial<AdapterAuthenticator> | undefined = await deps.store.updateAuthenticatorCounter(
    authenticator.credentialID,
    counter,
  )
  if (Number(updated?.counter ?? 0) > counter) {
    throw new WebAuthnVerificationError("counter: a concurrent response had a larger one", because("passkey-counter"))
  }
}

async function toProof(
  { authenticator, isUserVerified }: VerifiedAssertion,
  response: AuthenticationResponse,
  { provider, deps }: ReturnedCeremony,
): Promise<PasskeyProof> {
  const { providerAccountId, userId } = authenticator
  const found = await deps.store.getAccount(providerAccountId, provider.id)
  if (!found) throw new WebAuthnVerificationError("credential: has no account of this provider")
  const user = await deps.store.getUser(found.userId)
  if (!user) throw new WebAuthnVerificationError("credential: its user does not exist")
  if (!isSameId(user.id, userId)) throw new WebAuthnVerificationError("credential: its account belongs to another user")
  await assertHandle(response, user, { provider, deps })
  const account = { providerAccountId, provider: provider.id, type: "webauthn" } as const
  const achieved = achievedWith(authenticator.credentialDeviceType, isUserVerified)
  return { candidate: user, user, account, achieved, newCredential: null, knownUserId: user.id, dependsOnSession: true }
}

/** WebAuthn level 3, section 7.2 (userHandle). Without a handle, the credential id identifies the owner. */
async function assertHandle(
  { userHandle }: AuthenticationResponse,
  owner: AdapterUser,
  { provider, deps }: Pick<ReturnedCeremony, "provider" | "deps">,
): Promise<void> {
  if (userHandle === undefined || userHandle === "") return
  const isForeignAccepted = provider.acceptForeignUserHandles === true
  if (await isHandleOf({ handle: userHandle, owner, isForeignAccepted }, deps.store)) return
  const advice = "If another library registered the passkey, set acceptForeignUserHandles of the provider to true"
  const message = `userHandle: does not belong to the credential's owner. ${advice}`
  throw new WebAuthnVerificationError(message, because("passkey-handle"))
}

/** WebAuthn level 3, section 7.2 (update of the credential record), if the store can keep it. */
async function recordUse({ authenticator, isBackedUp }: VerifiedAssertion, { deps }: ReturnedCeremony): Promise<void> {
  if (!deps.store.has("updateAuthenticator")) return
  const { credentialID } = authenticator
  const lastUsedAt = new Date(deps.challenges.clock())
  await deps.store.updateAuthenticator({ credentialID, credentialBackedUp: isBackedUp, lastUsedAt })
}

interface AssertionToVerify {
  readonly response: AuthenticationResponse
  /** Null if the credential is unknown. */
  readonly stored: AdapterAuthenticator | null
  readonly redeemed: RedeemedChallenge
  readonly party: ResolvedRelyingParty
  readonly provider: WebAuthnConfig
}

interface VerifiedAssertion {
  readonly authenticator: AdapterAuthenticator
  readonly counter: number
  readonly isBackedUp: boolean
  readonly isUserVerified: boolean
}

/**
 * Verifies the authenticator's part of WebAuthn level 3, section 7.2. An unknown passkey takes as long as an invalid
 * signature and gets the same response.
 * @throws WebAuthnVerificationError
 * @internal Exported for its tests.
 */
export function verifyAuthentication(
  toVerify: AssertionToVerify,
  library: WebAuthnLibrary,
): Promise<VerifiedAssertion> {
  return refuseUnverified(async () => {
    const { stored, response } = toVerify
    const data = parseAuthenticatorData(fromBase64url(response.authenticatorData) ?? new Uint8Array())
    if (!stored) return refuseUnknown(toVerify, library)
    assertSameDevice(data, stored)
    await verifySignature({ ...toVerify, publicKey: toKeyBytes(stored.credentialPublicKey) }, library)
    const { counter, isBackedUp, isUserVerified } = data
    return { authenticator: stored, counter, isBackedUp, isUserVerified }
  })
}

/** Does the same work with the decoy key, and ignores the result. */
async function refuseUnknown(toVerify: AssertionToVerify, library: WebAuthnLibrary): Promise<never> {
  await verifySignature({ ...toVerify, publicKey: toKeyBytes(decoyKey) }, library).catch(() => undefined)
  throw new WebAuthnVerificationError("credential: unknown")
}

function toKeyBytes(publicKey: string): Uint8Array<ArrayBuffer> {
  return fromBase64url(toWireText(publicKey)) ?? new Uint8Array()
}

interface SignatureToVerify extends AssertionToVerify {
  readonly publicKey: Uint8Array<ArrayBuffer>
}

async function verifySignature(toVerify: SignatureToVerify, library: WebAuthnLibrary): Promise<void> {
  assertSignatureEncoding(toVerify.response, toVerify.publicKey, library)
  if (await verifyByLibrary(toVerify, library)) return
  throw new WebAuthnVerificationError("signature: invalid")
}

/** WebAuthn level 3, section 7.2 (BE, signCount): backup eligibility never changes, and a counter in use always grows. */
function assertSameDevice(data: AuthenticatorData, stored: AdapterAuthenticator): void {
  if (data.isBackupEligible !== (stored.credentialDeviceType === "multiDevice")) {
    throw new WebAuthnVerificationError("authenticatorData: backup eligibility (BE) has changed")
  }
  const isUsed = data.counter > 0 || stored.counter > 0
  if (isUsed && data.counter <= stored.counter) {
    throw new WebAuthnVerificationError("counter: has not grown; the key may be cloned", because("passkey-counter"))
  }
}

function assertSignatureEncoding(
  { signature }: AuthenticationResponse,
  publicKey: Uint8Array<ArrayBuffer>,
  { decodeCredentialPublicKey }: WebAuthnLibrary,
): void {
  const isDer = isSignatureDer(algorithmOf(toCoseKey(decodeCredentialPublicKey(publicKey))))
  if (isDer && !isDerSignature(fromBase64url(signature) ?? new Uint8Array())) {
    throw new WebAuthnVerificationError("signature: must be one ASN.1 sequence of two integers")
  }
}

async function verifyByLibrary(
  toVerify: SignatureToVerify,
  { verifyAuthenticationResponse }: WebAuthnLibrary,
): Promise<boolean> {
  const { response, stored, redeemed, party, provider, publicKey } = toVerify
  const { id, clientDataJSON, authenticatorData, signature } = response
  // Compared in assertSameDevice. An unknown passkey has none.
  const counter = stored ? stored.counter : -1
  // The name and the fields before version 11.
  const older = { authenticator: { credentialID: fromBase64url(id), credentialPublicKey: publicKey, counter } }
  const topOrigins = toTopOrigins(provider, "authenticate")
  const { verified } = await verifyAuthenticationResponse({
    response: {
      id,
      rawId: id,
      type: "public-key",
      clientExtensionResults: {},
      response: { clientDataJSON, authenticatorData, signature },
    },
    expectedChallenge: redeemed.challenge,
    expectedOrigin: [...party.origins],
    expectedRPID: [...party.ids],
    ...(topOrigins.length > 0 && { expectedTopOrigin: [...topOrigins] }),
    requireUserVerification: isVerificationRequired(provider, "authenticate"),
    credential: { id, publicKey, counter },
    ...older,
  })
  return verified
}

/**
 * A P-256 key in the form that stores keep (COSE, base64), for responses of unknown passkeys: the public key of RFC 6979,
 * appendix A.2.5. Responses that verify with it are rejected, too.
 */
const decoyKey: string =
  "pQECAyYgASFYIGD+1LolWp0xyWHrdMY1bWjASbiSO2H6bOZpYi5g8p+2IlggeQP+EAi4vJmkGunpVii8ZPLxsgwtfp9Rd6PClNRGIpk="
