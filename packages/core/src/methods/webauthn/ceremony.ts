import type { AuthMethod } from "../../account/proof.js"
import {
  type CeremonyAction,
  type ChallengeDeps,
  type RedeemedChallenge,
  redeemChallenge,
} from "../../checks/challenge.js"
import { fromBase64url } from "../../crypto/encoding.js"
import { AuthError, toError } from "../../errors/auth-error.js"
import { WebAuthnVerificationError } from "../../errors/errors.js"
import { because } from "../../errors/failure-reason.js"
import type { Store } from "../../host/store.js"
import type { AuthRequest } from "../../http/request.js"
import type { FindLocale } from "../../messages/locale.js"
import { isRecord, parseJson } from "../../runtime/json.js"
import type { Sessions } from "../../session/session.js"
import type { AdapterAuthenticator } from "../../types/adapter.js"
import type { VerificationOptions, WebAuthnConfig, WebAuthnContext, WebAuthnRequest } from "../../types/providers.js"
import type { WebAuthnLibrary } from "./library.js"

/** A response to verify. */
export interface ReturnedCeremony {
  readonly request: AuthRequest
  readonly provider: WebAuthnConfig
  readonly deps: WebAuthnDeps
}

/** A response whose challenge is consumed. */
interface ResumedCeremony {
  readonly redeemed: RedeemedChallenge
  readonly party: ResolvedRelyingParty
}

const typeOf = { register: "webauthn.create", authenticate: "webauthn.get" } as const

/**
 * Consumes the challenge of a response.
 * @returns also `assertClient`, which checks the client data. Call it where a failure clears the challenge's cookie.
 * @throws InvalidCheck, WebAuthnVerificationError, if the challenge was not consumed
 */
export async function resumeCeremony(
  { request, provider, deps }: ReturnedCeremony,
  { action, clientDataJSON }: { readonly action: CeremonyAction; readonly clientDataJSON: string },
): Promise<ResumedCeremony & { readonly assertClient: () => void }> {
  const clientData = parseClientData(clientDataJSON)
  const returned = { provider: provider.id, action, challenge: clientData.challenge, jar: request.cookies }
  const redeemed = await redeemChallenge(deps.challenges, returned)
  const party = await resolveRelyingParty(request, provider, toContext(request, provider, deps))
  const expected: ExpectedClient = {
    type: typeOf[action],
    origins: party.origins,
    topOrigins: toTopOrigins(provider, action),
  }
  return { redeemed, party, assertClient: () => assertClientData(clientData, expected) }
}

function verificationOf(provider: WebAuthnConfig, action: CeremonyAction): VerificationOptions {
  const { verifyRegistrationOptions, verifyAuthenticationOptions } = provider
  return (action === "register" ? verifyRegistrationOptions : verifyAuthenticationOptions) ?? {}
}

/** The origins of pages that may show the site in a frame. */
export function toTopOrigins(provider: WebAuthnConfig, action: CeremonyAction): readonly string[] {
  const { expectedTopOrigin } = verificationOf(provider, action)
  return typeof expectedTopOrigin === "string" ? [expectedTopOrigin] : (expectedTopOrigin ?? [])
}

/** Whether to reject a response without user verification. Default: whether it was requested as `required`. */
export function isVerificationRequired(provider: WebAuthnConfig, action: CeremonyAction): boolean {
  const asked =
    action === "register"
      ? provider.registrationOptions?.authenticatorSelection?.userVerification
      : provider.authenticationOptions?.userVerification
  return verificationOf(provider, action).requireUserVerification ?? asked === "required"
}

/** What a passkey proves: that of one device (`hwk`) or one that is synced (`swk`), and whether its owner was verified. */
export function achievedWith(
  deviceType: AdapterAuthenticator["credentialDeviceType"],
  isUserVerified: boolean,
): readonly AuthMethod[] {
  const key = deviceType === "multiDevice" ? "swk" : "hwk"
  return isUserVerified ? [key, "user"] : [key]
}

/** Turns errors of the library into a WebAuthnVerificationError. */
export async function refuseUnverified<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify()
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw new WebAuthnVerificationError("The response is invalid", toError(error))
  }
}

/** `CollectedClientData`, WebAuthn level 3, section 5.8.1. */
interface ClientData {
  readonly type: unknown
  readonly challenge: string
  readonly origin: unknown
  readonly crossOrigin: boolean
  readonly topOrigin: unknown
}

/**
 * @throws WebAuthnVerificationError when a field has the wrong type
 * @internal Exported for its tests.
 */
export function parseClientData(base64url: string): ClientData {
  const { type, challenge, origin, crossOrigin, topOrigin } = parseObject(base64url)
  if (typeof challenge !== "string") throw new WebAuthnVerificationError("clientData.challenge: must be text")
  if (crossOrigin !== undefined && typeof crossOrigin !== "boolean") {
    throw new WebAuthnVerificationError("clientData.crossOrigin: must be true or false")
  }
  return { type, challenge, origin, crossOrigin: crossOrigin === true, topOrigin: topOrigin ?? undefined }
}

function parseObject(base64url: string): Partial<Record<keyof ClientData, unknown>> {
  const parsed = parseJson(new TextDecoder().decode(fromBase64url(base64url) ?? new Uint8Array()))
  if (isRecord(parsed)) return parsed
  throw new WebAuthnVerificationError("clientData: must be a JSON object")
}

interface ExpectedClient {
  readonly type: "webauthn.create" | "webauthn.get"
  readonly origins: readonly string[]
  /** Origins whose pages may embed ours. */
  readonly topOrigins: readonly string[]
}

/**
 * WebAuthn level 3, sections 7.1 and 7.2 (type, origin, crossOrigin, topOrigin). `redeemChallenge` compares the
 * challenge.
 * @throws WebAuthnVerificationError
 */
function assertClientData({ type, origin, crossOrigin, topOrigin }: ClientData, expected: ExpectedClient): void {
  if (type !== expected.type) throw new WebAuthnVerificationError(`clientData.type: must be ${expected.type}`)
  if (typeof origin !== "string" || !expected.origins.includes(origin)) {
    const listed = expected.origins.join(", ")
    const message = `clientData.origin: ${describe(origin)}, relayingParty.origin has ${listed}`
    throw new WebAuthnVerificationError(message, because("passkey-origin", { expected: listed }))
  }
  if (!crossOrigin && topOrigin === undefined) return
  if (!crossOrigin)
    throw new WebAuthnVerificationError("clientData.topOrigin: must be absent unless crossOrigin is true")
  const isFrameAllowed = topOrigin === undefined ? expected.topOrigins.length > 0 : isListed(topOrigin, expected)
  if (!isFrameAllowed) {
    throw new WebAuthnVerificationError(
      `clientData.crossOrigin: a frame in ${describe(topOrigin)}, which expectedTopOrigin does not list`,
    )
  }
}

function isListed(topOrigin: unknown, { topOrigins }: ExpectedClient): boolean {
  return typeof topOrigin === "string" && topOrigins.includes(topOrigin)
}

/** Origins of native apps have no host: `android:apk-key-hash:...`, `ios:bundle-id:...`. */
const appOrigin = /^(?:android|ios):[\w:.-]{1,200}=?$/

/** The origin for an error message. Text that is not a URL is not repeated. */
function describe(origin: unknown): string {
  if (typeof origin === "string" && appOrigin.test(origin)) return origin
  const parsed = typeof origin === "string" ? URL.parse(origin) : null
  return parsed ? `${parsed.protocol}//${parsed.host}` : "an invalid origin"
}

/** The relying party: which passkeys are created, and which responses are accepted. */
export interface ResolvedRelyingParty {
  /** The id in the options. */
  readonly id: string
  readonly name: string
  readonly ids: readonly string[]
  readonly origins: readonly string[]
}

/** The relying party of the configuration. Values that it leaves out come from the request. */
export async function resolveRelyingParty(
  request: AuthRequest,
  provider: WebAuthnConfig,
  context: WebAuthnContext,
): Promise<ResolvedRelyingParty> {
  const { getRelayingParty, relayingParty } = provider
  const given = getRelayingParty ? await getRelayingParty(context, toWebAuthnRequest(request)) : (relayingParty ?? {})
  const { hostname, host, origin } = request.url
  const ids = toList(given.id, hostname)
  const [first = hostname] = ids
  return {
    id: ids.find((id) => hostname === id || hostname.endsWith(`.${id}`)) ?? first,
    name: toList(given.name, host)[0] ?? host,
    ids,
    origins: toList(given.origin, origin),
  }
}

function toList(given: string | readonly string[] | undefined, fallback: string): readonly string[] {
  const list = typeof given === "string" ? [given] : (given ?? [])
  return list.length > 0 ? list : [fallback]
}

/** The collaborators of passkey ceremonies. */
export interface WebAuthnDeps {
  readonly store: Store
  readonly sessions: Pick<Sessions, "findUser">
  readonly challenges: ChallengeDeps
  /** Of all WebAuthn providers: their credentials may be on one device. */
  readonly providerIds: readonly string[]
  readonly secrets: readonly string[]
  readonly findLocale: FindLocale
  readonly library: () => Promise<WebAuthnLibrary>
}

export function toContext(
  request: AuthRequest,
  provider: WebAuthnConfig,
  { store }: Pick<WebAuthnDeps, "store">,
): WebAuthnContext {
  return { provider, adapter: store, url: new URL(request.url) }
}

/** The request that the host's functions get. */
export function toWebAuthnRequest({ url, method, headers, body }: AuthRequest): WebAuthnRequest {
  return {
    url: new URL(url),
    method,
    headers: Object.fromEntries(headers),
    query: Object.fromEntries(url.searchParams),
    ...(body && { body: { ...body } }),
  }
}
