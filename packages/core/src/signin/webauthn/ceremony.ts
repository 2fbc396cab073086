import type { CeremonyAction } from "../../checks/challenge.js"
import { type RedeemedChallenge, redeemChallenge } from "../../checks/redeem-challenge.js"
import type { VerificationOptions, WebAuthnConfig } from "../../contract/webauthn-provider.js"
import { AuthError } from "../../errors/auth-error.js"
import { WebAuthnVerificationError } from "../../errors/sign-in.js"
import { toError } from "../../errors/to-error.js"
import type { Visit } from "../../web/visit.js"
import { assertClientData, type ExpectedClient, parseClientData } from "./client-data.js"
import { type ResolvedRelyingParty, resolveRelyingParty } from "./relying-party.js"
import { toContext, type WebAuthnNeeds } from "./webauthn-needs.js"

/** A response that is about to be verified. */
export interface ReturnedCeremony {
  readonly visit: Visit
  readonly provider: WebAuthnConfig
  readonly needs: WebAuthnNeeds
}

/** Its challenge is spent and where it was made is right. */
export interface ResumedCeremony {
  readonly redeemed: RedeemedChallenge
  readonly party: ResolvedRelyingParty
}

const typeOf = { register: "webauthn.create", authenticate: "webauthn.get" } as const

/** @throws InvalidCheck, WebAuthnVerificationError, before the challenge is spent */
export async function resumeCeremony(
  { visit, provider, needs }: ReturnedCeremony,
  { action, clientDataJSON }: { readonly action: CeremonyAction; readonly clientDataJSON: string },
): Promise<ResumedCeremony & { readonly assertClient: () => void }> {
  const clientData = parseClientData(clientDataJSON)
  const returned = { provider: provider.id, action, challenge: clientData.challenge, jar: visit.cookies }
  const redeemed = await redeemChallenge(needs.challenges, returned)
  const party = await resolveRelyingParty(visit, provider, toContext(visit, provider, needs))
  const expected: ExpectedClient = {
    type: typeOf[action],
    origins: party.origins,
    topOrigins: toTopOrigins(verificationOf(provider, action)),
  }
  return { redeemed, party, assertClient: () => assertClientData(clientData, expected) }
}

function verificationOf(provider: WebAuthnConfig, action: CeremonyAction): VerificationOptions {
  const { verifyRegistrationOptions, verifyAuthenticationOptions } = provider
  return (action === "register" ? verifyRegistrationOptions : verifyAuthenticationOptions) ?? {}
}

function toTopOrigins({ expectedTopOrigin }: VerificationOptions): readonly string[] {
  return typeof expectedTopOrigin === "string" ? [expectedTopOrigin] : (expectedTopOrigin ?? [])
}

/** Whether a response without user verification is refused: as the host says, else as it was asked for. */
export function isVerificationRequired(provider: WebAuthnConfig, action: CeremonyAction): boolean {
  const asked =
    action === "register"
      ? provider.registrationOptions?.authenticatorSelection?.userVerification
      : provider.authenticationOptions?.userVerification
  return verificationOf(provider, action).requireUserVerification ?? asked === "required"
}

/** What the library finds wrong is a refusal like any other. */
export async function refuseUnverified<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify()
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw new WebAuthnVerificationError("The response does not verify", toError(error))
  }
}
