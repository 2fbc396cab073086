import type { RegisterData } from "../../checks/challenge.js"
import type { WebAuthnConfig } from "../../contract/webauthn-provider.js"
import { fromBase64url } from "../../crypto/base64url.js"
import { randomUUID } from "../../crypto/random.js"
import { type AskedCeremony, defaultTimeoutMs, type OfferedOptions } from "./authentication-options.js"
import { listCredentials } from "./listed-credentials.js"
import type { Person } from "./person.js"
import { toUserHandle } from "./user-handle.js"
import type { WebAuthnNeeds } from "./webauthn-needs.js"

/** Somebody for whom a passkey may be made. */
export type Registrant = Extract<Person, { readonly kind: "signed-in" | "new" }>

/** EdDSA, ES256, RS256. Written out, since every instance of a service must offer and take the same. */
const defaultAlgorithms: readonly number[] = [-8, -7, -257]

/** COSE algorithms that are offered, and so the only ones that are taken. */
export function offeredAlgorithms({ registrationOptions }: WebAuthnConfig): readonly number[] {
  return registrationOptions?.supportedAlgorithmIDs ?? defaultAlgorithms
}

/** `PublicKeyCredentialCreationOptionsJSON`, WebAuthn level 3, section 5.4. */
export async function offerRegistration(
  { provider, person, party, challenge }: AskedCeremony<Registrant>,
  needs: WebAuthnNeeds,
): Promise<OfferedOptions> {
  const { generateRegistrationOptions } = await needs.library()
  const registerData = toRegisterData(person)
  const { id, email, name } = registerData
  const excluded = person.kind === "signed-in" ? await listCredentials(id, needs.store) : []
  const options = await generateRegistrationOptions({
    timeout: defaultTimeoutMs,
    ...toOwnOptions(provider),
    rpID: party.id,
    rpName: party.name,
    userID: fromBase64url(await toUserHandle(id)) ?? new Uint8Array(),
    userName: email ?? name ?? "",
    userDisplayName: name ?? "",
    challenge: fromBase64url(challenge) ?? challenge,
    excludeCredentials: [...excluded],
    supportedAlgorithmIDs: [...offeredAlgorithms(provider)],
  })
  return { options, bound: { registerData, ...(person.kind === "signed-in" && { starter: id }) } }
}

type LibraryOptions = Partial<Parameters<typeof import("@simplewebauthn/server").generateRegistrationOptions>[0]>

/** Copied to its depth, because the library writes into what it is given. */
function toOwnOptions({ registrationOptions }: WebAuthnConfig): LibraryOptions {
  const { authenticatorSelection, supportedAlgorithmIDs: _, ...rest } = registrationOptions ?? {}
  // The library's names are the contract's; extensions are whatever the host wants to ask for.
  return {
    ...rest,
    ...(authenticatorSelection && { authenticatorSelection: { ...authenticatorSelection } }),
  } as LibraryOptions
}

type Registered = RegisterData & { readonly id: string; readonly email?: string | null; readonly name?: string | null }

/** Of a stored user only what the device is told. Somebody new gets the id that the store will be asked to give. */
function toRegisterData(person: Registrant): Registered {
  if (person.kind === "new") return { ...person.user, id: randomUUID() }
  const { id, email, name } = person.user
  return { id, email, ...(name && { name }) }
}
