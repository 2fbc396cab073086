import type { RedeemedChallenge } from "../../checks/redeem-challenge.js"
import type { AdapterAuthenticator } from "../../contract/adapter.js"
import type { WebAuthnConfig } from "../../contract/webauthn-provider.js"
import { fromBase64url } from "../../crypto/base64url.js"
import { WebAuthnVerificationError } from "../../errors/sign-in.js"
import { type AuthenticatorData, parseAuthenticatorData } from "./authenticator-data.js"
import { toWireText } from "./base64.js"
import { isVerificationRequired, refuseUnverified } from "./ceremony.js"
import { decoyKey } from "./decoy-key.js"
import { isDerSignature } from "./der-signature.js"
import { algorithmOf, isSignatureDer, toCoseKey } from "./key-algorithm.js"
import type { WebAuthnLibrary } from "./library.js"
import type { AuthenticationResponse } from "./read-response.js"
import type { ResolvedRelyingParty } from "./relying-party.js"

export interface AssertionToVerify {
  readonly response: AuthenticationResponse
  /** Null when nobody has a passkey of that id. */
  readonly stored: AdapterAuthenticator | null
  readonly redeemed: RedeemedChallenge
  readonly party: ResolvedRelyingParty
  readonly provider: WebAuthnConfig
}

export interface VerifiedAssertion {
  readonly authenticator: AdapterAuthenticator
  readonly counter: number
  readonly isBackedUp: boolean
}

/**
 * WebAuthn level 3, section 7.2, what is the device's. A passkey that is not known takes as long as a signature that is
 * wrong, and is refused with the same answer.
 * @throws WebAuthnVerificationError
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
    return { authenticator: stored, counter: data.counter, isBackedUp: data.isBackedUp }
  })
}

/** The same work, whose outcome says nothing: the key of another algorithm would blame the signature. */
async function refuseUnknown(toVerify: AssertionToVerify, library: WebAuthnLibrary): Promise<never> {
  await verifySignature({ ...toVerify, publicKey: toKeyBytes(decoyKey) }, library).catch(() => undefined)
  throw new WebAuthnVerificationError("credential: nobody has it")
}

function toKeyBytes(publicKey: string): Uint8Array<ArrayBuffer> {
  return fromBase64url(toWireText(publicKey)) ?? new Uint8Array()
}

interface SignatureToVerify extends AssertionToVerify {
  readonly publicKey: Uint8Array<ArrayBuffer>
}

async function verifySignature(toVerify: SignatureToVerify, library: WebAuthnLibrary): Promise<void> {
  assertSignatureForm(toVerify.response, toVerify.publicKey, library)
  if (await verifyByLibrary(toVerify, library)) return
  throw new WebAuthnVerificationError("signature: does not verify")
}

/**
 * WebAuthn level 3, section 7.2 (BE, signCount): eligibility never changes, and a counter that is used always grows.
 */
function assertSameDevice(data: AuthenticatorData, stored: AdapterAuthenticator): void {
  if (data.isBackupEligible !== (stored.credentialDeviceType === "multiDevice")) {
    throw new WebAuthnVerificationError("authenticatorData: eligibility for backup (BE) is not as it was")
  }
  const isUsed = data.counter > 0 || stored.counter > 0
  if (isUsed && data.counter <= stored.counter) {
    throw new WebAuthnVerificationError("counter: it has not grown, so there may be a copy of the key")
  }
}

function assertSignatureForm(
  { signature }: AuthenticationResponse,
  publicKey: Uint8Array<ArrayBuffer>,
  { decodeCredentialPublicKey }: WebAuthnLibrary,
): void {
  const isDer = isSignatureDer(algorithmOf(toCoseKey(decodeCredentialPublicKey(publicKey))))
  if (isDer && !isDerSignature(fromBase64url(signature) ?? new Uint8Array())) {
    throw new WebAuthnVerificationError("signature: not one ASN.1 sequence of two integers")
  }
}

async function verifyByLibrary(
  toVerify: SignatureToVerify,
  { verifyAuthenticationResponse }: WebAuthnLibrary,
): Promise<boolean> {
  const { response, stored, redeemed, party, provider, publicKey } = toVerify
  const { id, clientDataJSON, authenticatorData, signature } = response
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
    ...toTopOrigin(provider),
    requireUserVerification: isVerificationRequired(provider, "authenticate"),
    // Compared above; of a passkey that nobody has there is none.
    credential: { id, publicKey, counter: stored ? stored.counter : -1 },
  })
  return verified
}

function toTopOrigin({ verifyAuthenticationOptions }: WebAuthnConfig): {
  readonly expectedTopOrigin?: string | string[]
} {
  const given = verifyAuthenticationOptions?.expectedTopOrigin
  if (given === undefined) return {}
  return { expectedTopOrigin: typeof given === "string" ? given : [...given] }
}
