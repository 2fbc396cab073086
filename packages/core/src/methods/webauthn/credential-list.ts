import { fromBase64url, fromHex, joinBytes, toBase64url } from "../../crypto/encoding.js"
import { macHex, sha256Hex } from "../../crypto/hash.js"
import type { Store } from "../../host/store.js"
import type { AuthRequest } from "../../http/request.js"
import type { AdapterAuthenticator } from "../../types/adapter.js"
import type { WebAuthnConfig } from "../../types/providers.js"
import { toWireText } from "./response.js"
import type { Person } from "./user.js"

/** An entry of `allowCredentials` or `excludeCredentials`. */
export interface ListedCredential {
  /** Base64url. */
  readonly id: string
  readonly transports?: string[]
}

/** The sealed list must fit into a cookie. */
const maxListed = 32

export async function listCredentials(
  userId: string,
  store: Pick<Store, "listAuthenticatorsByUserId">,
): Promise<readonly ListedCredential[]> {
  return toListedCredentials(await store.listAuthenticatorsByUserId(userId))
}

/** As many as can be listed. */
export function toListedCredentials(stored: readonly AdapterAuthenticator[]): readonly ListedCredential[] {
  return stored.slice(0, maxListed).map(toListed)
}

function toListed({ credentialID, transports }: AdapterAuthenticator): ListedCredential {
  const known = transports?.split(",").filter((transport) => transport !== "") ?? []
  return { id: toWireText(credentialID), ...(known.length > 0 && { transports: known }) }
}

/** A short digest of a credential id (96 bits), because the list is kept in a cookie. */
export async function digestOf(id: string): Promise<string> {
  return (await sha256Hex(id)).slice(0, 24)
}

/** The id lengths and transports of widespread authenticators. */
const kinds: readonly { readonly bytes: number; readonly transports: readonly string[] }[] = [
  { bytes: 16, transports: ["hybrid", "internal"] },
  { bytes: 20, transports: ["hybrid", "internal"] },
  { bytes: 32, transports: ["internal"] },
]

/** Bytes at the end of a decoy's id that identify it. A real id matches by chance once in 2^64. */
const sealBytes = 8

/**
 * A decoy credential for an unknown user, always the same for one identifier, so that visitors cannot tell which users
 * exist. WebAuthn level 3, section 14.6.2.
 */
export async function makeDecoys(identifier: string, secret: string): Promise<readonly ListedCredential[]> {
  const choice = await macBytes(secret, "webauthn-decoy-kind", identifier)
  const kind = kinds[(choice[0] ?? 0) % kinds.length]
  const body = (await macBytes(secret, "webauthn-decoy", identifier)).slice(0, (kind?.bytes ?? 0) - sealBytes)
  const id = toBase64url(joinBytes([body, await seal(body, secret)]))
  return [{ id, transports: [...(kind?.transports ?? [])] }]
}

/**
 * Whether an id is a decoy. Registering a decoy's id must fail like registering a stored one: otherwise a software
 * authenticator, which can choose its ids, could tell them apart.
 */
export async function isDecoy(id: string, secrets: readonly string[]): Promise<boolean> {
  const bytes = fromBase64url(id)
  if (bytes === null || !kinds.some((kind) => kind.bytes === bytes.length)) return false
  const seals = await Promise.all(secrets.map((secret) => seal(bytes.slice(0, -sealBytes), secret)))
  return seals.some((one) => toBase64url(one) === toBase64url(bytes.slice(-sealBytes)))
}

async function seal(body: Uint8Array<ArrayBuffer>, secret: string): Promise<Uint8Array<ArrayBuffer>> {
  return (await macBytes(secret, "webauthn-decoy-seal", toBase64url(body))).slice(0, sealBytes)
}

async function macBytes(secret: string, purpose: string, text: string): Promise<Uint8Array<ArrayBuffer>> {
  return fromHex(await macHex(secret, purpose, text))
}

/**
 * Identifies the person that a request asks about: the email address, else the form fields in the query. Spellings of
 * one identifier give the same text, as they would find the same stored user. Null if the fields are empty.
 */
export function readIdentifier(
  { url }: Pick<AuthRequest, "url">,
  person: Person,
  { formFields, getUserInfo }: Pick<WebAuthnConfig, "formFields" | "getUserInfo">,
): string | null {
  if (person.kind !== "unknown" && person.user.email) return person.user.email.toLowerCase()
  const names = formFields ? Object.keys(formFields) : ["email"]
  const typed = names.map((name) => url.searchParams.get(name) ?? "")
  if (typed.every((text) => text.trim() === "")) return null
  // An invalid address matches no user in any spelling. Hosts that look users up usually ignore blanks and case.
  return JSON.stringify(getUserInfo ? typed.map((text) => text.trim().toLowerCase()) : typed)
}
