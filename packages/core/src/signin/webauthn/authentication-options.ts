import type { Challenge } from "../../checks/challenge.js"
import type { WebAuthnConfig } from "../../contract/webauthn-provider.js"
import { fromBase64url } from "../../crypto/base64url.js"
import type { Visit } from "../../web/visit.js"
import { makeDecoys, readIdentifier } from "./decoy-credentials.js"
import { digestOf, type ListedCredential, listCredentials } from "./listed-credentials.js"
import type { Person } from "./person.js"
import type { ResolvedRelyingParty } from "./relying-party.js"
import type { WebAuthnNeeds } from "./webauthn-needs.js"

/** Who asks for options, and for what. */
export interface AskedCeremony<P extends Person = Person> {
  readonly visit: Visit
  readonly provider: WebAuthnConfig
  readonly person: P
  readonly party: ResolvedRelyingParty
  /** Base64url. */
  readonly challenge: string
}

/** Options for the browser, and what the challenge is bound to besides its purpose. */
export interface OfferedOptions {
  readonly options: object
  readonly bound: Omit<Challenge, "challenge" | "action">
}

/** Milliseconds. */
export const defaultTimeoutMs = 300_000

/** `PublicKeyCredentialRequestOptionsJSON`, WebAuthn level 3, section 5.5. */
export async function offerAuthentication(asked: AskedCeremony, needs: WebAuthnNeeds): Promise<OfferedOptions> {
  const { provider, party, challenge } = asked
  const { generateAuthenticationOptions } = await needs.library()
  const allowed = await findAllowed(asked, needs)
  const options = await generateAuthenticationOptions({
    timeout: defaultTimeoutMs,
    ...toOwnOptions(provider),
    rpID: party.id,
    challenge: fromBase64url(challenge) ?? challenge,
    ...(allowed && { allowCredentials: [...allowed] }),
  })
  const digests = allowed && allowed.length > 0 ? await Promise.all(allowed.map(({ id }) => digestOf(id))) : undefined
  return { options, bound: digests ? { allowed: digests } : {} }
}

type LibraryOptions = Partial<Parameters<typeof import("@simplewebauthn/server").generateAuthenticationOptions>[0]>

/** The library's names are the contract's; extensions are whatever the host wants to ask for. */
function toOwnOptions({ authenticationOptions }: WebAuthnConfig): LibraryOptions {
  return { ...authenticationOptions } as LibraryOptions
}

/** Undefined: any credential may answer. A stranger who names somebody is shown a list in any case. */
async function findAllowed(
  { visit, provider, person }: AskedCeremony,
  { store, secrets }: WebAuthnNeeds,
): Promise<readonly ListedCredential[] | undefined> {
  const isKnown = (person.kind === "signed-in" || person.kind === "known") && person.user.id !== undefined
  const listed = isKnown ? await listCredentials(person.user.id ?? "", store) : undefined
  if (listed && (listed.length > 0 || person.kind === "signed-in")) return listed
  const identifier = provider.decoyCredentials === false ? null : readIdentifier(visit, person, provider)
  return identifier === null ? listed : makeDecoys(identifier, secrets[0] ?? "")
}
