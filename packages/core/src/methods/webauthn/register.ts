import type { User } from "@latchkey/types"
import type { PasskeyProof } from "../../account/proof.js"
import type { RedeemedChallenge } from "../../checks/challenge.js"
import { fromBase64url, toBase64url } from "../../crypto/encoding.js"
import { AccountNotLinked, InvalidCheck, WebAuthnVerificationError } from "../../errors/errors.js"
import { Refusal } from "../../http/response.js"
import type { AdapterAuthenticator, AdapterUser } from "../../types/adapter.js"
import type { WebAuthnConfig } from "../../types/providers.js"

import type { Proven } from "../method.js"
import {
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
 * A device made a passkey. Whose it becomes was decided when it was asked for.
 * @throws InvalidCheck, WebAuthnVerificationError, AccountNotLinked
 */
export async function proveRegistration(returned: ReturnedCeremony): Promise<Proven<PasskeyProof>> {
  const { request, provider, deps } = returned
  const response = readRegistration(request)
  const { redeemed, party, assertClient } = await resumeCeremony(returned, { ...response, action: "register" })
  try {
    assertClient()
    const signedIn = await deps.sessions.findUser(request.cookies)
    const user = findOwner(redeemed, signedIn)
    const made = await verifyRegistration({ response, redeemed, party, provider }, await deps.library())
    if ((await deps.store.getAuthenticator(made.credentialID)) || (await isDecoy(response.id, deps.secrets))) {
      throw new AccountNotLinked("The credential is stored already", { provider: provider.id })
    }
    return { proof: toProof(made, user, provider.id), callbackUrl: undefined, cookies: redeemed.cookies }
  } catch (error) {
    throw new Refusal(error, redeemed.cookies)
  }
}

/** Whoever asked for the passkey gets it, or nobody does. */
function findOwner({ initiatorId, registerData }: RedeemedChallenge, signedIn: AdapterUser | null): User {
  if (typeof registerData?.["id"] !== "string") throw new InvalidCheck("challenge: it says not for whom the passkey is")
  if (initiatorId !== signedIn?.id) {
    throw new AccountNotLinked("The passkey was asked for by somebody else than who is signed in now")
  }
  // Sealed here, of the user that the host or the query named.
  return signedIn ?? (registerData as User)
}

function toProof(made: Omit<AdapterAuthenticator, "userId">, user: User, provider: string): PasskeyProof {
  const { providerAccountId } = made
  const account = { providerAccountId, provider, type: "webauthn" } as const
  return { candidate: user, user, account, newCredential: made, knownUserId: undefined, dependsOnSession: true }
}

interface RegistrationToVerify {
  readonly response: RegistrationResponse
  readonly redeemed: RedeemedChallenge
  readonly party: ResolvedRelyingParty
  readonly provider: WebAuthnConfig
}

/**
 * WebAuthn level 3, section 7.1, what is the device's. The library verifies the relying party's hash, the flags and the
 * attestation; what it does not look at is looked at here, before it gets the response.
 * @throws WebAuthnVerificationError
 */
export function verifyRegistration(
  toVerify: RegistrationToVerify,
  library: WebAuthnLibrary,
): Promise<Omit<AdapterAuthenticator, "userId">> {
  return refuseUnverified(async () => {
    const { data, credential } = inspectAttestation(toVerify, library)
    await verifyByLibrary(toVerify, library)
    const credentialID = toStoredText(toBase64url(credential.id))
    const { transports } = toVerify.response
    return {
      credentialID,
      providerAccountId: credentialID,
      credentialPublicKey: toStoredText(toBase64url(credential.publicKey)),
      counter: data.counter,
      credentialDeviceType: data.isBackupEligible ? "multiDevice" : "singleDevice",
      credentialBackedUp: data.isBackedUp,
      transports: transports.length > 0 ? transports.join(",") : null,
    }
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
  if (!(authData instanceof Uint8Array)) throw new WebAuthnVerificationError("attestation: there is no authData")
  const data = parseAuthenticatorData(new Uint8Array(authData))
  const { credential } = data
  if (!credential) throw new WebAuthnVerificationError("authenticatorData: there is no credential")
  if (toBase64url(credential.id) !== response.id) {
    throw new WebAuthnVerificationError("credential id: not that of the authenticatorData")
  }
  const key = toCoseKey(library.decodeCredentialPublicKey(credential.publicKey))
  assertKeyFits(key, offeredAlgorithms(provider))
  assertStatement(attestation, algorithmOf(key), provider)
  return { data, credential }
}

/**
 * Without a wish for attestation, browsers pass on none or a device's own signature with the new key: section 5.1.3.
 * Certificates name addresses to be fetched from, and would be fetched from.
 */
function assertStatement(
  attestation: ReturnType<WebAuthnLibrary["decodeAttestationObject"]>,
  keyAlgorithm: number | undefined,
  { registrationOptions }: WebAuthnConfig,
): void {
  const format: unknown = attestation.get("fmt")
  const statement: unknown = attestation.get("attStmt")
  if (!(statement instanceof Map)) throw new WebAuthnVerificationError("attestation: there is no statement")
  const isSelfSigned = format === "packed" && !statement.has("x5c")
  if (isSelfSigned && statement.get("alg") !== keyAlgorithm) {
    throw new WebAuthnVerificationError("attestation: not signed with the credential key's algorithm")
  }
  const isAsked = (registrationOptions?.attestationType ?? "none") !== "none"
  if (isAsked || format === "none" || isSelfSigned) return
  throw new WebAuthnVerificationError("attestation: a statement that was not asked for")
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
  if (!verified) throw new WebAuthnVerificationError("attestation: its signature does not verify")
}
