import {
  type CeremonyAction,
  type Challenge,
  isAction,
  issueChallenge,
  type NewChallenge,
  type RegisterData,
} from "../../checks/challenge.js"
import { fromBase64url } from "../../crypto/encoding.js"
import { randomUUID, randomVerifier } from "../../crypto/random.js"
import type { AuthRequest } from "../../http/request.js"
import { json, type Reply } from "../../http/response.js"
import { toIdText } from "../../runtime/id.js"
import { copyFields } from "../../runtime/instance.js"
import type { WebAuthnConfig } from "../../types/providers.js"
import { type ResolvedRelyingParty, resolveRelyingParty, toContext, type WebAuthnDeps } from "./ceremony.js"
import {
  digestOf,
  type ListedCredential,
  listCredentials,
  makeDecoys,
  readIdentifier,
  toListedCredentials,
} from "./credential-list.js"
import { findPerson, type Person, toUserHandle } from "./user.js"

/** `GET webauthn-options/<id>?action=`: the options for the browser, and the challenge in a sealed cookie. */
export async function offerOptions(request: AuthRequest, provider: WebAuthnConfig, deps: WebAuthnDeps): Promise<Reply> {
  const asked = request.url.searchParams.get("action") ?? undefined
  if (asked !== undefined && !isAction(asked)) return json({ error: "Invalid action" }, { status: 400 })
  const person = await findPerson(request, provider, deps)
  const isSignUpEnabled = provider.enableSignUp !== false
  const action = decideCeremony({ action: asked, person: person.kind, isSignUpEnabled })
  if (action === null) return json({ error: "Invalid request" }, { status: 400 })
  const party = await resolveRelyingParty(request, provider, toContext(request, provider, deps))
  const challenge = randomVerifier()
  const { options, bound } = await makeOffer(action, { request, provider, person, party, challenge }, deps)
  const issued: NewChallenge = { challenge, action, provider: provider.id, jar: request.cookies, ...bound }
  return json({ action, options }, { cookies: await issueChallenge(deps.challenges, issued) })
}

async function makeOffer(action: CeremonyAction, asked: AskedCeremony, deps: WebAuthnDeps): Promise<OfferedOptions> {
  const { person } = asked
  const mayRegister = person.kind === "signed-in" || person.kind === "new"
  return action === "register" && mayRegister
    ? offerRegistration({ ...asked, person }, deps)
    : offerAuthentication(asked, deps)
}

interface Asked {
  /** Undefined lets the service choose. */
  readonly action: CeremonyAction | undefined
  readonly person: Person["kind"]
  readonly isSignUpEnabled: boolean
}

/** The ceremony to offer. Null rejects the request. Only signed-in users can add a passkey to an existing account. */
function decideCeremony({ action, person, isSignUpEnabled }: Asked): CeremonyAction | null {
  if (action === "authenticate") return "authenticate"
  const maySignUp = person === "new" && isSignUpEnabled
  if (action === "register") return person === "signed-in" || maySignUp ? "register" : null
  if (person === "signed-in") return null
  return maySignUp ? "register" : "authenticate"
}

/** A request for options. */
interface AskedCeremony<P extends Person = Person> {
  readonly request: AuthRequest
  readonly provider: WebAuthnConfig
  readonly person: P
  readonly party: ResolvedRelyingParty
  /** Base64url. */
  readonly challenge: string
}

/** Options for the browser, and what else the challenge is bound to. */
interface OfferedOptions {
  readonly options: object
  readonly bound: Omit<Challenge, "challenge" | "action">
}

const defaultTimeoutMs = 300_000

/** `PublicKeyCredentialRequestOptionsJSON`, WebAuthn level 3, section 5.5. */
async function offerAuthentication(asked: AskedCeremony, deps: WebAuthnDeps): Promise<OfferedOptions> {
  const { provider, party, challenge } = asked
  const { generateAuthenticationOptions } = await deps.library()
  const allowed = await findAllowed(asked, deps)
  const options = await generateAuthenticationOptions({
    timeout: defaultTimeoutMs,
    ...toAuthenticationOptions(provider),
    rpID: party.id,
    challenge: fromBase64url(challenge) ?? challenge,
  })
  const digests = allowed && allowed.length > 0 ? await Promise.all(allowed.map(({ id }) => digestOf(id))) : undefined
  const listed = allowed && { allowCredentials: toDescriptors(allowed) }
  return { options: { ...options, ...listed }, bound: digests ? { allowed: digests } : {} }
}

/**
 * `PublicKeyCredentialDescriptorJSON`, WebAuthn level 3, section 5.8.3. Not left to the library: its versions before 10
 * encode the ids again.
 */
function toDescriptors(listed: readonly ListedCredential[]): readonly object[] {
  return listed.map((credential) => ({ ...credential, type: "public-key" }))
}

type AuthenticationLibraryOptions = Partial<
  Parameters<typeof import("@simplewebauthn/server").generateAuthenticationOptions>[0]
>

/** The library's options have the contract's names. Extensions are passed through. */
function toAuthenticationOptions({ authenticationOptions }: WebAuthnConfig): AuthenticationLibraryOptions {
  return { ...authenticationOptions } as AuthenticationLibraryOptions
}

/** The credentials to list. Undefined accepts any. A visitor who names a user always gets a list: decoys, if unknown. */
async function findAllowed(
  { request, provider, person }: AskedCeremony,
  { store, secrets }: WebAuthnDeps,
): Promise<readonly ListedCredential[] | undefined> {
  const isKnown = (person.kind === "signed-in" || person.kind === "known") && person.user.id !== undefined
  const identifier = provider.decoyCredentials === false ? null : readIdentifier(request, person, provider)
  const listed = isKnown ? await listCredentials(person.user.id ?? "", store) : undefined
  if (listed && (listed.length > 0 || person.kind === "signed-in")) return listed
  if (!isKnown && identifier !== null) await store.lookUpNobody("listAuthenticatorsByUserId")
  return identifier === null ? listed : makeDecoys(identifier, secrets[0] ?? "")
}

/** A person who can register a passkey. */
type Registrant = Extract<Person, { readonly kind: "signed-in" | "new" }>

/** EdDSA, ES256, RS256. Explicit, because every instance of a service must offer and accept the same. */
const defaultAlgorithms: readonly number[] = [-8, -7, -257]

/** The COSE algorithms that are offered. No others are accepted. */
export function offeredAlgorithms({ registrationOptions }: WebAuthnConfig): readonly number[] {
  return registrationOptions?.supportedAlgorithmIDs ?? defaultAlgorithms
}

/**
 * The credentials that can sign in. One without an account, left by a process that ended before it was stored, must not
 * keep its device from registering another.
 */
async function listUsable(
  userId: string,
  { store, providerIds }: Pick<WebAuthnDeps, "store" | "providerIds">,
): Promise<readonly ListedCredential[]> {
  const found = await store.listAuthenticatorsByUserId(userId)
  const usable = await Promise.all(
    found.map(async ({ providerAccountId }) => {
      const accounts = await Promise.all(providerIds.map((id) => store.getAccount(providerAccountId, id)))
      return accounts.some(Boolean)
    }),
  )
  return toListedCredentials(found.filter((_, index) => usable[index]))
}

/** `PublicKeyCredentialCreationOptionsJSON`, WebAuthn level 3, section 5.4. */
async function offerRegistration(
  { provider, person, party, challenge }: AskedCeremony<Registrant>,
  deps: WebAuthnDeps,
): Promise<OfferedOptions> {
  const { generateRegistrationOptions } = await deps.library()
  const registerData = toRegisterData(person)
  const { id, email, name } = registerData
  const handle = await toUserHandle(id)
  const excluded = person.kind === "signed-in" ? await listUsable(person.user.id, deps) : []
  const options = await generateRegistrationOptions({
    timeout: defaultTimeoutMs,
    ...toRegistrationOptions(provider),
    rpID: party.id,
    rpName: party.name,
    userID: fromBase64url(handle) ?? new Uint8Array(),
    userName: email ?? name ?? "",
    userDisplayName: name ?? "",
    challenge: fromBase64url(challenge) ?? challenge,
    supportedAlgorithmIDs: [...offeredAlgorithms(provider)],
  })
  const listed = { user: { ...options.user, id: handle }, excludeCredentials: toDescriptors(excluded) }
  return {
    options: { ...options, ...listed },
    bound: { registerData, ...(person.kind === "signed-in" && { initiatorId: id }) },
  }
}

type RegistrationLibraryOptions = Partial<
  Parameters<typeof import("@simplewebauthn/server").generateRegistrationOptions>[0]
>

/** A deep copy, because the library writes to its options. */
function toRegistrationOptions({ registrationOptions }: WebAuthnConfig): RegistrationLibraryOptions {
  const { authenticatorSelection, supportedAlgorithmIDs: _, ...rest } = registrationOptions ?? {}
  // The library's options have the contract's names. Extensions are passed through.
  return {
    ...rest,
    ...(authenticatorSelection && { authenticatorSelection: { ...authenticatorSelection } }),
  } as RegistrationLibraryOptions
}

type Registered = RegisterData & { readonly id: string; readonly email?: string | null; readonly name?: string | null }

/** The fields for the device. A new user gets the id that `createUser` is called with later. */
function toRegisterData(person: Registrant): Registered {
  if (person.kind === "new") return { ...copyFields(person.user, ["name", "email", "image"]), id: randomUUID() }
  const { id, email, name } = person.user
  return { id: toIdText(id), email, ...(name && { name }) }
}
