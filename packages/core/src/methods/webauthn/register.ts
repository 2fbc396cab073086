import type { User } from "@latchkey/types"
import type { PasskeyProof } from "../../account/proof.js"
import type { RedeemedChallenge } from "../../checks/challenge.js"
import { fromBase64url, toBase64url } from "../../crypto/encoding.js"
import { AccountNotLinked, InvalidCheck, WebAuthnVerificationError } from "../../errors/errors.js"
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
} from "./ceremony.js"
import { isDecoy } from "./credential-list.js"
import type { WebAuthnLibrary } from "./library.js"
import { offeredAlgorithms } from "./options.js"
import { type RegistrationResponse, readRegistration, toStoredText } from "./response.js"
import {
  type AttestedCredential,
  type AuthenticatorData,
  algorithmOf,
  assertKeyFits,
  assertSingleItem,
  parseAuthenticatorData,
  toCoseKey,
} from "./strict-encoding.js"

/**
 * Verifies a new passkey. Its owner was decided when the options were issued.
 * @throws InvalidCheck, WebAuthnVerificationError, AccountNotLinked
 */
export async function proveRegistration(returned: ReturnedCeremony): Promise<Proven<PasskeyProof>> {
  const { request, provider, deps } = returned
  const response = readRegistration(request)
  const { redeemed, party, assertClient } = await resumeCeremony(returned, { ...response, action: "register" })
  try {
    assertClient()
    const user = getOwner(redeemed, await deps.sessions.findUser(request.cookies))
    const verified = await verifyRegistration({ response, redeemed, party, provider }, await deps.library())
    const { aaguid, newCredential } = verified
    if ((await deps.store.getAuthenticator(newCredential.credentialID)) || (await isDecoy(response.id, deps.secrets))) {
      throw new AccountNotLinked("The credential is already stored", { provider: provider.id })
    }
    const { providerAccountId } = newCredential
    const name = await findName(aaguid, returned)
    const account = { providerAccountId, provider: provider.id, type: "webauthn" } as const
    // The library has checked the verification of the user if it is required, and only then.
    const achieved = achievedWith(newCredential.credentialDeviceType, isVerificationRequired(provider, "register"))
    const proof = { candidate: user, user, account, knownUserId: undefined, dependsOnSession: true }
    return {
      proof: { ...proof, newCredential: { ...newCredential, name }, achieved },
      callbackUrl: undefined,
      cookies: redeemed.cookies,
    }
  } catch (error) {
    throw new Refusal(error, redeemed.cookies)
  }
}

/** Null if the store cannot keep it. */
async function findName(aaguid: string, { request, deps }: ReturnedCeremony): Promise<string | null> {
  if (!deps.store.has("updateAuthenticator")) return null
  const { namePasskey } = await import("./passkey-name.js")
  return (await namePasskey(aaguid, request, deps.findLocale)) ?? null
}

/** The user that the options were issued for, who must still be the one who is signed in. */
function getOwner({ initiatorId, registerData }: RedeemedChallenge, current: AdapterUser | null): User {
  if (typeof registerData?.["id"] !== "string") throw new InvalidCheck("challenge: no user id in the registration data")
  const isSameUser = current ? isSameId(current.id, initiatorId) : initiatorId === undefined
  if (!isSameUser) {
    throw new AccountNotLinked("The passkey was requested by another user than the one who is signed in")
  }
  // Sealed by this service, so it still has the fields of a user.
  return current ?? (registerData as User)
}

interface RegistrationToVerify {
  readonly response: RegistrationResponse
  readonly redeemed: RedeemedChallenge
  readonly party: ResolvedRelyingParty
  readonly provider: WebAuthnConfig
}

interface VerifiedRegistration {
  /** The model that the authenticator says it is. */
  readonly aaguid: string
  readonly newCredential: Omit<AdapterAuthenticator, "userId">
}

/**
 * Verifies the authenticator's part of WebAuthn level 3, section 7.1. The library verifies the hash of the relying
 * party's id, the flags and the attestation. What it does not check is checked here first.
 * @throws WebAuthnVerificationError
 * @internal Exported for its tests.
 */
export function verifyRegistration(
  toVerify: RegistrationToVerify,
  library: WebAuthnLibrary,
): Promise<VerifiedRegistration> {
  return refuseUnverified(async () => {
    const { data, credential } = inspectAttestation(toVerify, library)
    await verifyByLibrary(toVerify, library)
    const credentialID = toStoredText(toBase64url(credential.id))
    const { transports } = toVerify.response
    const newCredential: VerifiedRegistration["newCredential"] = {
      credentialID,
      providerAccountId: credentialID,
      credentialPublicKey: toStoredText(toBase64url(credential.publicKey)),
      counter: data.counter,
      credentialDeviceType: data.isBackupEligible ? "multiDevice" : "singleDevice",
      credentialBackedUp: data.isBackedUp,
      transports: transports.length > 0 ? transports.join(",") : null,
    }
    return { aaguid: credential.aaguid, newCredential }
  })
}

interface Inspected {
  readonly data: AuthenticatorData
  readonly credential: AttestedCredential
}

function inspectAttestation({ response, provider }: RegistrationToVerify, library: WebAuthnLibrary): Inspected {
  const bytes = fromBase64url(response.attestationObject) ?? new Uint8Array()
  assertSingleItem(bytes)
  const attestation = library.decodeAttestationObject(bytes)
  const authData: unknown = attestation.get("authData")
  if (!(authData instanceof Uint8Array)) throw new WebAuthnVerificationError("attestation: authData is missing")
  const data = parseAuthenticatorData(new Uint8Array(authData))
  const { credential } = data
  if (!credential) throw new WebAuthnVerificationError("authenticatorData: the credential is missing")
  if (toBase64url(credential.id) !== response.id) {
    throw new WebAuthnVerificationError("credential id: does not match authenticatorData")
  }
  const key = toCoseKey(library.decodeCredentialPublicKey(credential.publicKey))
  assertKeyFits(key, offeredAlgorithms(provider))
  assertStatement(attestation, algorithmOf(key), provider)
  return { data, credential }
}

/**
 * Unless attestation was requested, browsers send none, or a self attestation (section 5.1.3). Anything else is
 * rejected: verifying certificates would fetch URLs that they name.
 */
function assertStatement(
  attestation: ReturnType<WebAuthnLibrary["decodeAttestationObject"]>,
  keyAlgorithm: number | undefined,
  { registrationOptions }: WebAuthnConfig,
): void {
  const format: unknown = attestation.get("fmt")
  const statement: unknown = attestation.get("attStmt")
  if (!(statement instanceof Map)) throw new WebAuthnVerificationError("attestation: the statement is missing")
  const isSelfSigned = format === "packed" && !statement.has("x5c")
  if (isSelfSigned && statement.get("alg") !== keyAlgorithm) {
    throw new WebAuthnVerificationError("attestation: the algorithm is not that of the credential key")
  }
  const isAsked = (registrationOptions?.attestationType ?? "none") !== "none"
  if (isAsked || format === "none" || isSelfSigned) return
  throw new WebAuthnVerificationError("attestation: the statement was not requested")
}

async function verifyByLibrary(
  { response, redeemed, party, provider }: RegistrationToVerify,
  { verifyRegistrationResponse }: WebAuthnLibrary,
): Promise<void> {
  const { id, clientDataJSON, attestationObject } = response
  const { verified } = await verifyRegistrationResponse({
    response: {
      id,
      rawId: id,
      type: "public-key",
      clientExtensionResults: {},
      response: { clientDataJSON, attestationObject },
    },
    expectedChallenge: redeemed.challenge,
    expectedOrigin: [...party.origins],
    expectedRPID: [...party.ids],
    requireUserVerification: isVerificationRequired(provider, "register"),
    supportedAlgorithmIDs: [...offeredAlgorithms(provider)],
  })
  if (!verified) throw new WebAuthnVerificationError("attestation: the signature is invalid")
}
